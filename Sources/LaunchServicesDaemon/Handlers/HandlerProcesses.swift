internal import BusContract
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Starts and ends the processes of handlers, by D-Bus activation or by running their programs, and records
/// the processes.
final class HandlerProcesses {
  private let supervisor: ProcessSupervisor
  private let freedesktop: FreedesktopApplications
  private let deliveries: DeliveryService
  private let record: ProcessRecord
  private let store: RegistryStore
  private let opens: PendingOpens
  private let fates: FateReporter
  private let completesWhenInvoked: Bool
  private let journal: Journal

  /// Called when a process cannot be started.
  var onFailure: (InstanceID, OpenFailure) -> Void = { _, _ in }

  init(
    supervisor: ProcessSupervisor, freedesktop: FreedesktopApplications,
    deliveries: DeliveryService,
    record: ProcessRecord, store: RegistryStore, opens: PendingOpens, fates: FateReporter,
    completesWhenInvoked: Bool, journal: Journal
  ) {
    self.supervisor = supervisor
    self.freedesktop = freedesktop
    self.deliveries = deliveries
    self.record = record
    self.store = store
    self.opens = opens
    self.fates = fates
    self.completesWhenInvoked = completesWhenInvoked
    self.journal = journal
  }

  // MARK: Starting

  /// Starts the process of an instance as soon as a launch slot is free.
  /// - Parameter reason: the open that needs the process.
  func launch(_ id: InstanceID, for reason: OpenRequest?) {
    let usage = reason.flatMap { opens[$0.id]?.usage }
    supervisor.launch(id, for: usage?.share, in: usage?.groups ?? []) { [weak self] in
      self?.start(id, reason)
    }
  }

  private func start(_ id: InstanceID, _ reason: OpenRequest?) {
    let open = reason.flatMap { opens[$0.id] }
    guard let application = freedesktop[id.slot.application], open?.options.shapesProcess != true
    else {
      return startProgram(id, for: reason)
    }
    freedesktop.activate(id, application, for: reason, about: open?.logSubject ?? [:])
  }

  func startProgram(_ id: InstanceID, for reason: OpenRequest?) {
    guard let application = store.registry.application(id.slot.application) else {
      return onFailure(
        id,
        .applicationNotFound(
          "\(id.slot.application) was unregistered while its URL waited"))
    }
    var launch = ApplicationLaunch(application, reason: reason)
    launch.logSubject = reason.flatMap { opens[$0.id]?.logSubject } ?? [:]
    // An application that is known by its bus name receives the token with its URL.
    let options = reason.flatMap {
      opens.takeForLaunch($0.id, withToken: !application.declaration.isDBusActivatable)
    }
    launch.activationToken = options?.activationToken
    // The bridge passes the other options of each open on to the program that the bridge starts for the open.
    if !application.isStartedByBridge {
      if let options { launch.take(options) }
      launch.display = reason.flatMap { opens[$0.id]?.display } ?? [:]
    }
    supervisor.start(id, launch)
  }

  /// Records that the program of an instance was started.
  func started(_ id: InstanceID, _ process: SupervisedProcess, _ launch: ApplicationLaunch) {
    if let reason = launch.reason { opens.record(reason.id, "launched", pid: process.pid) }
    let application = id.slot.application.text
    journal.info(
      "started a process of an application",
      process.unit.map { ["application": application, "pid": "\(process.pid)", "unit": $0] }
        ?? ["application": application, "pid": "\(process.pid)"], about: launch.logSubject)
    if completesWhenInvoked, let reason = launch.reason { fates.invoked(reason.id, .cold) }
  }

  /// Records that the bus has started an application.
  func activated(for reason: OpenRequest?) {
    guard let reason else { return }
    opens.record(reason.id, "launched")
    if completesWhenInvoked { fates.invoked(reason.id, .cold) }
  }

  /// Logs that a process did not check in again with this daemon. The process keeps running.
  func didNotReturn(_ id: InstanceID, within seconds: Int) {
    guard let pid = supervisor[id]?.pid else { return }
    journal.warning(
      "a process did not check in again within \(seconds) s: it keeps running without deliveries",
      ["application": id.slot.application.text, "pid": "\(pid)"])
  }

  /// Ends the launch of an instance, successful or not.
  func launchEnded(_ id: InstanceID) {
    record.recordStartEnd(of: id)
    supervisor.launchEnded(id)
  }

  func endActivation(of id: InstanceID) { freedesktop.endActivation(of: id) }

  // MARK: Running

  func record(_ process: SupervisedProcess, of id: InstanceID) { record.record(process, of: id) }

  /// Records that another process of the application, which has checked in, replaces an ended process as the
  /// process of the instance.
  func continued(_ id: InstanceID, in process: SupervisedProcess, after old: SupervisedProcess) {
    record.record(process, of: id)
    record.recordEnd(of: old.pid)
    journal.info(
      "another process of the application replaces the ended process",
      ["application": id.slot.application.text, "pid": "\(process.pid)"])
  }

  // MARK: Ending

  /// Ends the process of an instance. An activation by the bus cannot be cancelled; only the wait for the
  /// activation ends.
  /// - Returns: false when the bus was starting the instance; the launch is over then.
  func end(_ id: InstanceID) -> Bool {
    guard freedesktop.endActivation(of: id) else {
      supervisor.end(id)
      return true
    }
    supervisor.disarmWatchdog(id)
    return false
  }

  /// Removes the record of the process of an instance.
  @discardableResult func remove(_ id: InstanceID) -> SupervisedProcess? {
    deliveries.remove(id)
    guard let process = supervisor.remove(id) else { return nil }
    record.recordEnd(of: process.pid)
    return process
  }

  /// Handles the end of the process of an instance.
  /// - Returns: the removed process.
  func ended(_ id: InstanceID, _ end: ProcessEnd) -> SupervisedProcess? {
    let process = remove(id)
    launchEnded(id)
    journal.info(
      "a process of an application ended",
      ["application": id.slot.application.text, "how": "\(end)"])
    return process
  }
}

extension ApplicationLaunch {
  fileprivate mutating func take(_ options: OpenOptions) {
    arguments = options.arguments
    environment = options.environment
    standardInput = options.standardInput
    standardOutput = options.standardOutput
    standardError = options.standardError
  }
}

nonisolated extension OpenOptions {
  /// Whether the options configure the new process. Only the component that starts the process can apply
  /// them.
  var shapesProcess: Bool { !arguments.isEmpty || !environment.isEmpty || hasStreams }
}
