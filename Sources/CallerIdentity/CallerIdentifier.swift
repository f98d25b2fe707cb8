package import DBus
package import Host
package import LaunchRules
package import ProcessSupervision

/// Identifies the application of a caller: collects the evidence about its process and about started instances, and
/// applies `CallerRule`.
package struct CallerIdentifier {
  private let processes: ProcessSupervisor
  /// Returns the instance that has checked in on a connection.
  private let instance: (String) -> InstanceID?
  /// Returns the registered application with an identifier.
  private let registered: (BundleIdentifier) -> InstalledApplication?
  /// Returns the application that an executable belongs to.
  private let owner: (ProcessDetails.Executable) -> CallerRule.Executable
  /// Whether a child of the daemon is one of its own tools.
  private let isTool: (Int32) -> Bool

  package init(
    _ processes: ProcessSupervisor,
    instanceOnConnection instance: @escaping (String) -> InstanceID?,
    registered: @escaping (BundleIdentifier) -> InstalledApplication?,
    owner: @escaping (ProcessDetails.Executable) -> CallerRule.Executable,
    isTool: @escaping (Int32) -> Bool
  ) {
    self.processes = processes
    self.instance = instance
    self.registered = registered
    self.owner = owner
    self.isTool = isTool
  }

  /// The caller of a method.
  /// - Throws: AccessDenied when the caller cannot be identified. Such a caller is never treated as
  ///   `.unidentified`.
  package func caller(
    on connection: String, _ answer: CallerTable.Answer
  ) throws(BusError) -> IdentifiedCaller {
    switch answer {
    case .success(let facts):
      return IdentifiedCaller(try caller(on: connection, facts), on: connection, facts)
    case .failure(.notOurs):
      throw Self.denied("the caller is not a process of this user that can be identified")
    case .failure(.unread(let reason)): throw Self.denied(reason)
    }
  }

  /// The application of a process, regardless of its connections.
  /// - Throws: AccessDenied when the process cannot be identified.
  package func process(_ answer: CallerTable.Answer) throws(BusError) -> Caller {
    switch answer {
    case .success(let facts): return try caller(on: nil, facts)
    case .failure(.notOurs):
      throw Self.denied("the process has ended, or is not a process of this user")
    case .failure(.unread(let reason)): throw Self.denied(reason)
    }
  }

  private static func denied(_ why: String) -> BusError {
    BusError(.accessDenied, why)
  }

  /// - Throws: AccessDenied when the caller may be an application that cannot be determined.
  package func caller(
    on connection: String?, _ facts: CallerTable.Facts
  ) throws(BusError) -> Caller {
    let evidence = evidence(on: connection, facts)
    guard let caller = CallerRule.caller(evidence) else {
      if case .replaced(let application) = evidence.executable {
        throw Self.denied(
          "the caller cannot be identified: its executable, which was that of \(application), has been"
            + " replaced or deleted since the start of the process; start the process again")
      }
      throw Self.denied(
        "the caller cannot be identified: the executable of its process cannot be read, as the process"
          + " has ended or hides its memory; keep it running, or start a program of its own for the"
          + " call")
    }
    return caller
  }

  private func evidence(
    on connection: String?, _ facts: CallerTable.Facts
  ) -> CallerRule.Evidence {
    var evidence = CallerRule.Evidence()
    evidence.remote = facts.remote
    evidence.outsider = facts.outsider
    evidence.connection = connection.flatMap(instance)?.slot.application
    if let own = processes.instance(ofProcess: facts.own), processes[own]?.isOurs == false {
      evidence.process = own.slot.application
    }
    evidence.started = started(facts)
    evidence.unit =
      facts.unit.map(ApplicationUnit.candidates)?.lazy.compactMap(registered).first
      .map(application)
    evidence.hasTerminal = facts.hasTerminal
    if let child = facts.childOfDaemon, !isTool(child) {
      evidence.descendant = processes.descendants
      if case .of(let only, _) = processes.descendants {
        evidence.descendsFromBridge = registered(only)?.declaration.isDesktopBridge == true
      }
    }
    evidence.executable =
      facts.executable.map(owner) ?? .unreadable
    let sandboxes = facts.flatpak.map { [$0.text, $0.text + ".desktop"] } ?? []
    let sandbox = sandboxes.compactMap { BundleIdentifier($0) }.compactMap(registered).first
    evidence.sandbox = sandbox?.identifier
    return evidence
  }

  /// The instance that is the process or started it. Returns nil for processes that the desktop bridge
  /// started: these are programs of the user.
  package func instance(startedAs facts: CallerTable.Facts) -> InstanceID? {
    guard let started = started(facts), started.isOfApplication else { return nil }
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
    .init(
      installed.identifier,
      installed.isStartedByBridge
        ? .desktopEntry(isTerminal: installed.declaration.isTerminal)
        : installed.declaration.isDesktopBridge ? .desktopBridge : .own)
  }
}
