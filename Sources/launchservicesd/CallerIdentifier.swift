internal import DBus
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Says which application a caller is: brings together what is known of its process and what the daemon
/// has started, and lets the rule decide.
struct CallerIdentifier {
  let deliveries: DeliveryService
  let processes: ProcessSupervisor
  /// The registered application of an identifier.
  let registered: (BundleIdentifier) -> InstalledApplication?
  /// The application that an executable belongs to.
  let owner: (ProcessDetails.Executable) -> BundleIdentifier?
  /// Whether a child of the daemon works for the daemon itself.
  let isTool: (Int32) -> Bool

  /// Throws when it may be an application, and it cannot be known which.
  func caller(on connection: String, _ facts: CallerTable.Facts) throws(BusError) -> Caller {
    guard let caller = CallerRule.caller(evidence(on: connection, facts)) else {
      throw BusError(
        "org.freedesktop.DBus.Error.AccessDenied",
        "the caller cannot be identified: the executable of its process cannot be read, as the process"
          + " has ended or hides its memory; keep it running, or start a program of its own for the"
          + " call")
    }
    return caller
  }

  private func evidence(
    on connection: String, _ facts: CallerTable.Facts
  ) -> CallerRule.Evidence {
    var evidence = CallerRule.Evidence()
    evidence.connection = deliveries.instance(on: connection)?.slot.application
    if let own = processes.instance(ofProcess: facts.own), processes[own]?.isOurs == false {
      evidence.process = own.slot.application
    }
    evidence.started = started(facts)
    evidence.unit = facts.unit.flatMap(ApplicationUnit.identifier).flatMap(registered)
      .map(application)
    if let child = facts.childOfDaemon, !isTool(child) {
      evidence.descendant = processes.descendants
      if case .of(let only, _) = processes.descendants {
        evidence.descendsFromBridge = registered(only)?.declaration.isDesktopBridge == true
      }
    }
    evidence.executable =
      facts.executable.map { owner($0).map { .of($0) } ?? .ofNobody } ?? .unreadable
    evidence.sandbox = facts.flatpak.flatMap(registered)?.identifier
    return evidence
  }

  /// The instance that is the process or started it; nil for what the desktop bridge has started, which
  /// are the user's own programs, and not the bridge.
  func instance(startedAs facts: CallerTable.Facts) -> InstanceID? {
    guard let started = started(facts), !started.isOfUser else { return nil }
    return processes.instance(startedAs: facts.ancestry)
  }

  private func started(_ facts: CallerTable.Facts) -> CallerRule.Started? {
    guard let identifier = processes.application(startedAs: facts.ancestry) else { return nil }
    let application =
      registered(identifier).map(application) ?? CallerRule.Application(identifier)
    let own = processes.instance(ofProcess: facts.own)
    return .init(
      application, isItself: own?.slot.application == identifier,
      isInTree: processes.isInTree(facts.ancestry))
  }

  private func application(_ installed: InstalledApplication) -> CallerRule.Application {
    .init(installed.identifier, isDesktopBridge: installed.declaration.isDesktopBridge)
  }
}
