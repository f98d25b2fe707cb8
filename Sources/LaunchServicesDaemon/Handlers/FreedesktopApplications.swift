internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import RegistryLoading

/// Starts applications that export `org.freedesktop.Application` with D-Bus activation. Such an application
/// does not check in: the process that owns its bus name is the application, and is ready.
final class FreedesktopApplications {
  enum Event {
    /// A process owns the bus name of an application, and the process is identified.
    case owned(Ownership)
    /// Another process owns the bus name now; the instance has lost the name.
    case replaced(InstanceID)
    /// The bus has started the application for this open.
    case activated(OpenRequest?)
    /// The bus cannot start the application. The daemon starts the program of the application instead.
    case notActivated(InstanceID, OpenRequest?)
    case launchFailed(InstanceID, OpenFailure)
  }

  struct Ownership {
    let application: FreedesktopApplication
    /// The unique name of the owner.
    let owner: String
    let process: (pid: Int32, startTime: UInt64)
    let claim: CheckInRule.Claim
    /// The application already ran before the waiting opens.
    let ranBefore: Bool
  }

  private let session: BusSession
  private let names: ApplicationNames
  private let callers: CallerTable
  private let identifier: CallerIdentifier
  private let processes: ProcessSupervisor
  private let deliveries: DeliveryService
  private let store: RegistryStore
  private let journal: Journal
  /// Timeout for an activation by the bus, in seconds.
  private let timeout: Int
  /// Instances that the bus is starting.
  private var activations: Set<InstanceID> = []

  var onEvent: (Event) -> Void = { _ in }

  init(
    session: BusSession, callers: CallerTable, identifier: CallerIdentifier,
    processes: ProcessSupervisor, deliveries: DeliveryService, store: RegistryStore,
    timeout: Int, journal: Journal
  ) {
    self.session = session
    self.callers = callers
    self.identifier = identifier
    self.processes = processes
    self.deliveries = deliveries
    self.store = store
    self.timeout = timeout
    self.journal = journal
    names = ApplicationNames(session)
  }

  /// Starts to ask the bus for owners. Call when the session is connected.
  func start() {
    names.onFound = { [unowned self] in find($0, $1, ranBefore: true) }
    names.start()
  }

  /// Updates the watched names after a change of the registry.
  func update(_ change: RegistryChange) {
    let touched = names.count == 0 ? [] : change.applications ?? Array(names.known)
    for identifier in Set(touched).union(change.activatable) {
      names.update(identifier, store.registry.application(identifier))
    }
  }

  subscript(_ identifier: BundleIdentifier) -> FreedesktopApplication? { names[identifier] }

  // MARK: Owners

  /// Handles a change of the owner of a well-known name. An empty owner means that the name has no owner.
  /// - Returns: the application that the name belongs to; nil for all other names.
  func ownerChanged(of name: String, to owner: String) -> BundleIdentifier? {
    names.changed(name, owner: owner)
  }

  /// Identifies the process that owns the name of an application.
  func find(_ identifier: BundleIdentifier, _ owner: String, ranBefore: Bool) {
    callers.withFacts(of: owner) { [weak self] facts in
      guard let self, names.owner(of: identifier) == owner else { return }
      do throws(BusError) {
        let caller = try self.identifier.caller(on: owner, facts)
        found(identifier, caller, ranBefore: ranBefore)
      } catch {
        refuse(identifier, error.text)
      }
    }
  }

  private func found(
    _ identifier: BundleIdentifier, _ owner: IdentifiedCaller, ranBefore: Bool
  ) {
    guard let application = names[identifier], deliveries.instance(on: owner.connection) == nil
    else { return }
    let facts = owner.facts
    let own = processes.instance(ofProcess: facts.own)
    if let old = deliveries.instance(metAs: identifier) {
      // The same process owns the name again after it had released the name.
      if old == own { return deliveries.met(old, as: application, on: owner.connection) }
      onEvent(.replaced(old))
    }
    let claim = CheckInRule.Claim(
      owner.caller, claimed: identifier,
      byExecutable: facts.executable.map(store.owner)?.application,
      startedAs: self.identifier.instance(startedAs: facts), isProcessOf: own,
      ownsClaimedName: true)
    onEvent(
      .owned(
        Ownership(
          application: application, owner: owner.connection, process: facts.own, claim: claim,
          ranBefore: ranBefore)))
  }

  /// Refuses an owner that cannot be the application. The application cannot own the name until that owner
  /// releases it.
  func refuse(_ identifier: BundleIdentifier, _ why: String) {
    journal.warning(
      "refused the owner of the bus name of an application",
      ["application": identifier.text, "reason": why])
    let failure = OpenFailure.launchFailed(
      "the owner of the bus name \(identifier) was refused: \(why)")
    for id in activations where id.slot.application == identifier {
      onEvent(.launchFailed(id, failure))
    }
  }

  // MARK: Activation

  /// Asks the bus to start an application.
  /// - Parameter reason: the open that needs the application.
  func activate(
    _ id: InstanceID, _ application: FreedesktopApplication, for reason: OpenRequest?,
    about subject: [String: String]
  ) {
    activations.insert(id)
    processes.armWatchdog(id)
    if let owner = names.owner(of: id.slot.application), deliveries.instance(on: owner) == nil {
      // The owner is not identified yet, or is a process that the daemon cannot end.
      return find(id.slot.application, owner, ranBefore: true)
    }
    session.call(MessageBus.startService(application.name), deadline: .seconds(timeout + 1)) {
      [weak self] answer in
      // Otherwise the application owns its name already, or the activation was ended.
      guard let self, activations.contains(id) else { return }
      activated(id, reason, answer, subject)
    }
  }

  /// Ends the activation, when the launch is complete or no longer needed.
  /// - Returns: false when no activation was in progress.
  @discardableResult func endActivation(of id: InstanceID) -> Bool {
    activations.remove(id) != nil
  }

  private func activated(
    _ id: InstanceID, _ reason: OpenRequest?, _ answer: Result<[Value], BusError>,
    _ subject: [String: String]
  ) {
    switch answer {
    case .success: onEvent(.activated(reason))
    case .failure(let error) where MessageBus.mayStillStart(error):
      activations.remove(id)
      onEvent(
        .launchFailed(
          id,
          .launchFailed(
            "the message bus could not start \(id.slot.application): \(error.text)")))
    case .failure(let error):
      activations.remove(id)
      if error.name != .serviceUnknown {
        journal.warning(
          "the message bus could not start an application; its program is started instead",
          ["application": id.slot.application.text, "reason": error.text], about: subject)
      }
      onEvent(.notActivated(id, reason))
    }
  }
}
