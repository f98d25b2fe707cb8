package import BusContract
package import DBus
package import DBusMainLoop
internal import Glibc
package import Host
package import LaunchRules

/// The client of the user's service manager: starts applications as units and reports their state.
package final class ServiceManager {
  /// The result of an order to start a unit.
  package enum Start {
    /// The number of the main process, which may have ended in the meantime.
    case done(pid: Int32)
    /// The manager accepted the unit, but its program does not run.
    case failed(OpenFailure)
    /// The manager rejected the order, and nothing was started.
    case refused(String)
  }

  private struct Starting {
    let executable: String
    let completion: (Start) -> Void
  }

  private let session: BusSession
  private let journal: Journal
  /// The unique name of the manager on the bus; nil without a user manager.
  private var owner: String?
  /// The control group of the manager, which contains all units.
  private var controlGroup: String?
  private var waitingForGroup: [() -> Void] = []
  private var starting: [String: Starting] = [:]
  /// Closures waiting for changes, by object path of the unit.
  private var changes: [String: () -> Void] = [:]
  /// Units that are referenced until `release`.
  private var referenced: Set<String> = []

  /// Timeout for an answer of the manager.
  private static let patience = Duration.seconds(10)

  package init(_ session: BusSession, _ journal: Journal) {
    self.session = session
    self.journal = journal
  }

  package var isPresent: Bool { owner != nil }

  /// Looks for the manager. Blocks; call before the session serves.
  package func start() {
    guard let bus = session.connection else { return }
    bus.send(MessageBus.watch(ServiceManagerContract.name, true))
    let found = try? bus.callAndWait(
      MessageBus.nameOwner(ServiceManagerContract.name), milliseconds: 2000)
    guard let found = found?.first?.asString else { return }
    owner = found
    let group = try? bus.callAndWait(
      ServiceManagerContract.controlGroup(), milliseconds: 2000)
    controlGroup = group?.first?.content?.asString
    listen()
  }

  /// Handles a start, end or restart of the manager.
  package func ownerChanged(_ name: String) {
    guard name != owner ?? "" else { return }
    owner = name.isEmpty ? nil : name
    guard isPresent else {
      for unit in starting.keys { fail(unit, "org.freedesktop.systemd1 left the bus") }
      return
    }
    listen()
    for unit in referenced { order(.refUnit, unit) }
    askForControlGroup()
  }

  /// Whether units can be determined: false while the manager is present and its control group is unknown.
  package var saysUnits: Bool { owner == nil || controlGroup != nil }

  /// Calls `body` when the control group of the manager is known or the request for it has timed out;
  /// immediately if it is known already.
  package func withControlGroup(_ body: @escaping () -> Void) {
    guard !saysUnits else { return body() }
    waitingForGroup.append(body)
    if waitingForGroup.count == 1 { askForControlGroup() }
  }

  private func askForControlGroup() {
    session.call(ServiceManagerContract.controlGroup(), deadline: Self.patience) {
      [weak self] answer in
      guard let self else { return }
      if let group = (try? answer.get())?.first?.content?.asString { controlGroup = group }
      let waiting = waitingForGroup
      waitingForGroup = []
      for body in waiting { body() }
    }
  }

  private func listen() {
    session.send(ServiceManagerContract.listen(ServiceManagerContract.jobRemoved))
    session.send(ServiceManagerContract.call(.subscribe))
  }

  /// The unit of the user's service manager that contains a process.
  package func unit(of process: ProcessDetails) -> String? {
    process.controlGroup.flatMap {
      UnitOfControlGroup.unit(of: $0, below: controlGroup, user: getuid())
    }
  }

  // MARK: Starting

  /// Starts a unit and references it; `completion` is called once.
  package func start(
    _ unit: String, _ service: ServiceManagerContract.Service,
    completion: @escaping (Start) -> Void
  ) {
    // The manager had not answered in time at the start of this daemon.
    if controlGroup == nil { askForControlGroup() }
    starting[unit] = Starting(executable: service.executable, completion: completion)
    watch(unit)
    session.call(ServiceManagerContract.start(unit, service), deadline: Self.patience) {
      [weak self] answer in
      guard case .failure(let error) = answer else { return }
      // The manager may still start the unit after the timeout, so the unit is stopped.
      if error == .timedOut { self?.stop(unit) }
      self?.fail(unit, error.text)
    }
  }

  private func fail(_ unit: String, _ why: String) {
    guard let waiting = starting.removeValue(forKey: unit) else { return }
    release(unit)
    waiting.completion(.refused(why))
  }

  private func jobRemoved(_ unit: String, _ result: String) {
    guard let waiting = starting.removeValue(forKey: unit) else { return }
    read(["ExecMainPID", "Result", "ExecMainCode", "ExecMainStatus"], of: unit) { values in
      if result == "done", let pid = values["ExecMainPID"]?.asUInt32, pid > 0 {
        return waiting.completion(.done(pid: Int32(clamping: pid)))
      }
      let failure = UnitEnd(values).launchFailure(
        job: result, result: values["Result"]?.asString ?? "unknown",
        executable: waiting.executable)
      self.release(unit)
      waiting.completion(.failed(failure))
    }
  }

  /// The progress of a unit that a previous daemon ordered; nil without an answer of the manager. Blocks;
  /// call before the session serves.
  package func state(of unit: String) -> (mainPID: Int32, hasJob: Bool)? {
    guard isPresent, let path = path(of: unit) else { return nil }
    func ask(_ property: String, _ interface: InterfaceName) -> Value? {
      let answer = try? session.connection?.callAndWait(
        ServiceManagerContract.property(property, of: interface, at: path), milliseconds: 2000)
      return answer?.first?.content
    }
    guard let pid = ask("MainPID", ServiceManagerContract.service)?.asUInt32,
      let job = ask("Job", ServiceManagerContract.unit)?.elements?.first?.asUInt32
    else { return nil }
    return (Int32(clamping: pid), job > 0)
  }

  /// Withdraws an order of a previous daemon. May be called before the session serves.
  package func withdraw(_ unit: String) { session.send(Self.stopping(unit)) }

  private static func stopping(_ unit: String) -> Message {
    ServiceManagerContract.call(.stopUnit, [.string(unit), .string("replace")])
  }

  // MARK: Running units

  /// References a unit that a previous daemon started.
  package func reference(_ unit: String) {
    guard isPresent else { return }
    watch(unit)
    order(.refUnit, unit)
  }

  private func watch(_ unit: String) {
    guard referenced.insert(unit).inserted, let path = path(of: unit) else { return }
    session.send(
      ServiceManagerContract.listen(ServiceManagerContract.changes(of: path)))
  }

  /// Releases the reference. The manager may unload the unit when it has ended.
  package func release(_ unit: String) {
    guard referenced.remove(unit) != nil, let path = path(of: unit) else { return }
    session.send(
      ServiceManagerContract.listen(ServiceManagerContract.changes(of: path), false))
    order(.unrefUnit, unit)
  }

  package func stop(_ unit: String) {
    session.call(Self.stopping(unit), deadline: Self.patience) { _ in }
  }

  package func freeze(_ unit: String, _ isFrozen: Bool, completion: @escaping (Bool) -> Void) {
    session.call(
      ServiceManagerContract.call(isFrozen ? .freezeUnit : .thawUnit, [.string(unit)]),
      deadline: Self.patience
    ) { completion((try? $0.get()) != nil) }
  }

  /// Undoes pending freeze orders when the daemon ends. The manager accepts no other order for a unit before
  /// a freeze order is done, so this method waits for up to about one second.
  package func thawAtLast(_ units: [String]) {
    var tries = 50
    for unit in units {
      let order = ServiceManagerContract.call(.thawUnit, [.string(unit)])
      while tries > 0 {
        do throws(BusError) {
          _ = try session.connection?.callAndWait(order, milliseconds: 1000)
          break
        } catch {
          if error.name == BusError.timedOut.name { return }
          guard error.name == "System.Error.EALREADY" else { break }
          tries -= 1
          usleep(20_000)
        }
      }
    }
  }

  /// Sends an order without waiting for the result. May be called before the session serves.
  package func order(_ member: ServiceManagerContract.Member, _ unit: String) {
    session.send(ServiceManagerContract.call(member, [.string(unit)]))
  }

  // MARK: Ends

  /// Asks how the main process of a unit ended. The kernel has reported the end already; the manager may
  /// notice the end slightly later.
  package func end(of unit: String, completion: @escaping (UnitEnd) -> Void) {
    guard isPresent, referenced.contains(unit), let path = path(of: unit)?.text else {
      return completion(.unknown)
    }
    var isDone = false
    func finish(_ end: UnitEnd) {
      guard !isDone else { return }
      isDone = true
      changes[path] = nil
      completion(end)
    }
    let deadline = Deadline(after: .seconds(2)) { finish(.unknown) }
    func look() {
      read(["MainPID", "ExecMainCode", "ExecMainStatus"], of: unit) { values in
        withExtendedLifetime(deadline) {
          // The manager has not noticed the end yet. It will report a change of the unit.
          if let pid = values["MainPID"]?.asUInt32, pid > 0 { return }
          finish(UnitEnd(values))
        }
      }
    }
    changes[path] = look
    look()
  }

  private func read(
    _ properties: [String], of unit: String, completion: @escaping ([String: Value]) -> Void
  ) {
    guard let path = path(of: unit) else { return completion([:]) }
    var values: [String: Value] = [:]
    var missing = properties.count
    for property in properties {
      session.call(
        ServiceManagerContract.property(property, of: ServiceManagerContract.service, at: path),
        deadline: Self.patience
      ) { answer in
        values[property] = (try? answer.get())?.first?.content
        missing -= 1
        if missing == 0 { completion(values) }
      }
    }
  }

  private func path(of unit: String) -> ObjectPath? {
    ObjectPath(ApplicationUnit.objectPath(of: unit))
  }

  // MARK: Signals

  /// Handles a signal. Returns whether the manager sent the signal.
  package func received(_ signal: borrowing Message) -> Bool {
    guard let owner, signal.sender == owner else { return false }
    switch signal.member {
    case "JobRemoved":
      let arguments = signal.arguments().compactMap(\.asString)
      if arguments.count == 2 { jobRemoved(arguments[0], arguments[1]) }
    case "PropertiesChanged": signal.path.flatMap { changes[$0] }?()
    default: break
    }
    return true
  }
}
