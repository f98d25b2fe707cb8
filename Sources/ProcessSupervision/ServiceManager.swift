package import BusContract
package import DBus
package import DBusMainLoop
internal import Glibc
package import Host
package import LaunchRules

/// The user's service manager: starts applications as units and tells what becomes of them.
package final class ServiceManager {
  /// What became of an order to start a unit.
  package enum Start {
    /// Its main process, which may have ended meanwhile.
    case done(pid: Int32)
    /// The manager took the unit, but its program does not run.
    case failed(OpenFailure)
    /// The manager would not take it, and nothing was started.
    case refused(String)
  }

  private struct Starting {
    let executable: String
    let completion: (Start) -> Void
  }

  private let session: BusSession
  private let journal: Journal
  /// The unique name on the bus; nil when there is no user manager.
  private var owner: String?
  /// Of the manager; all units are below it.
  private var controlGroup: String?
  private var waitingForGroup: [() -> Void] = []
  private var starting: [String: Starting] = [:]
  /// Who waits for changes, by the object of the unit.
  private var changes: [String: () -> Void] = [:]
  /// Units that are kept until they are released.
  private var referenced: Set<String> = []

  /// How long the manager may take to answer.
  private static let patience = Duration.seconds(10)

  package init(_ session: BusSession, _ journal: Journal) {
    self.session = session
    self.journal = journal
  }

  package var isPresent: Bool { owner != nil }

  /// Looks for the manager, before the session serves.
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

  /// The manager came, went, or was started anew.
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

  /// False while the manager is there and has not said its control group.
  package var saysUnits: Bool { owner == nil || controlGroup != nil }

  /// Calls `body` when the manager has said its control group, at once when it has, and also when it takes
  /// too long.
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

  /// The unit of the user's service manager that a process belongs to.
  package func unit(of process: ProcessDetails) -> String? {
    process.controlGroup.flatMap {
      UnitOfControlGroup.unit(of: $0, below: controlGroup, user: getuid())
    }
  }

  // MARK: Starting

  /// Starts a unit and holds it; `completion` is called once.
  package func start(
    _ unit: String, _ service: ServiceManagerContract.Service,
    completion: @escaping (Start) -> Void
  ) {
    // It was too late to answer when this daemon started.
    if controlGroup == nil { askForControlGroup() }
    starting[unit] = Starting(executable: service.executable, completion: completion)
    watch(unit)
    session.call(ServiceManagerContract.start(unit, service), deadline: Self.patience) {
      [weak self] answer in
      guard case .failure(let error) = answer else { return }
      // It may start it all the same, when nobody waits any more.
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

  /// How far a unit is that a daemon before this one has ordered; nil when the manager does not say.
  /// Waits for the answers, before the session serves.
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

  /// Takes back an order that a daemon before this one has given. Good before the session serves.
  package func withdraw(_ unit: String) { session.send(Self.stopping(unit)) }

  private static func stopping(_ unit: String) -> Message {
    ServiceManagerContract.call(.stopUnit, [.string(unit), .string("replace")])
  }

  // MARK: Units that run

  /// Keeps a unit that a daemon before this one has started.
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

  /// Nothing more is asked about it; the manager may forget it when it has ended.
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

  /// For the end of the daemon: waits for freezings that were ordered, because the manager takes no
  /// other order before they are done, and undoes them. Gives up after about a second.
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

  /// Whatever comes of it. Good before the session serves.
  package func order(_ member: ServiceManagerContract.Member, _ unit: String) {
    session.send(ServiceManagerContract.call(member, [.string(unit)]))
  }

  // MARK: Ends

  /// How the main process of a unit has ended, which the kernel has told already; the manager may
  /// hear of it a moment later.
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
          // Still set: a change of the unit comes.
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

  /// True when the signal is the manager's.
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
