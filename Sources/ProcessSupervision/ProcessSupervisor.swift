internal import Glibc
package import Host
package import LaunchRules

/// Starts, watches, suspends and ends the processes of applications.
package final class ProcessSupervisor {
  /// Records a start before it happens, so that the next daemon finds the process. Calls the last parameter
  /// when that is done, unless the process is no longer wanted.
  package typealias RecordStart = (
    InstanceID, _ token: String, _ unit: String?, _ start: @escaping () -> Void
  ) -> Void

  private let settings: SupervisionSettings
  private let launcher: Launcher
  private var table = ProcessTable()
  private var queue: LaunchQueue
  private var watchdogs: [InstanceID: Deadline] = [:]
  /// What was started as child processes.
  package private(set) var descendants = Descendants.ofNobody

  package var onEvent: (SupervisionEvent) -> Void = { _ in }
  /// Finds the process that checked in for an instance whose own process has ended.
  package var findSuccessor: (InstanceID) -> (pid: Int32, startTime: UInt64)? = { _ in nil }

  package init(
    _ settings: SupervisionSettings, _ environment: HandlerEnvironment,
    units: any LaunchBackend, children: any LaunchBackend, _ journal: Journal
  ) {
    self.settings = settings
    queue = LaunchQueue(limit: settings.maximumLaunches)
    launcher = Launcher(
      settings.launcher, environment, units: units, children: children, journal)
    launcher.onEvent = { [weak self] in self?.handle($0) }
  }

  /// Suspensions that are under way are undone: nobody would do that later.
  package func stop() {
    launcher.thawBeforeExit(
      table.all.compactMap { entry in
        if case .freezing = entry.freezer.state { entry.unit } else { nil }
      })
  }

  // MARK: Launching

  /// Set once, by whoever keeps the record.
  package func recordStarts(_ record: @escaping RecordStart) { launcher.recordStart = record }

  /// Calls `begin` when a launch slot is free. `launchEnded` gives the slot back.
  /// - Parameter caller: whose share of the slots the launch takes; nil when nobody asked for it.
  package func launch(
    _ id: InstanceID, for caller: String? = nil, _ begin: @escaping () -> Void
  ) {
    if queue.add(id, for: caller, begin) { begin() }
  }

  /// The launch is over, whether or not it succeeded.
  package func launchEnded(_ id: InstanceID) { for begin in queue.end(id) { begin() } }

  /// Starts the program of an application.
  package func start(_ id: InstanceID, _ launch: ApplicationLaunch) { launcher.start(id, launch) }

  private func handle(_ event: Launcher.Event) {
    switch event {
    case .ordered(let id): armWatchdog(id)
    case .unitOrdered(let unit): onEvent(.unitOrdered(unit))
    case .unitSettled(let unit): onEvent(.unitSettled(unit))
    case .running(let process, let order): started(process, order)
    case .failed(let id, let failure): onEvent(.launchFailed(id, failure))
    case .ended(let id): ended(id)
    case .exited(let id, let end): exited(id, end)
    }
  }

  private func started(_ process: any LaunchedProcess, _ order: LaunchOrder) {
    if process.unit == nil {
      descendants.started(
        order.instance.slot.application,
        isSandboxed: order.launch.application.declaration.platform == .iOS)
    }
    let entry = ProcessTable.Entry(
      pid: process.pid, process: process, startTime: process.startTime, session: process.pid,
      unit: process.unit, token: order.token, since: Time.monotonicMicroseconds())
    add(order.instance, entry)
    onEvent(.started(order.instance, entry.snapshot, order.launch))
  }

  // MARK: Processes that were not started by this daemon

  /// A process that appeared by itself.
  package func add(_ id: InstanceID, pid: Int32, startTime: UInt64) {
    add(id, .init(pid: pid, startTime: startTime, since: Time.monotonicMicroseconds()))
  }

  /// A process that served an earlier daemon. Its watchdog fires after `seconds`.
  /// - Parameter isOurs: an earlier daemon started it.
  package func adopt(
    _ id: InstanceID, pid: Int32, startTime: UInt64, isOurs: Bool, isSuspended: Bool,
    successor: SupervisedProcess.Successor? = nil, patience seconds: Int
  ) {
    let details = ProcessDetails(of: pid)
    let age = details.map { Time.microsecondsSinceBoot() - $0.startedAt } ?? 0
    let now = Time.monotonicMicroseconds()
    var entry = ProcessTable.Entry(pid: pid, startTime: startTime, since: now - min(age, now))
    if isOurs {
      entry.process = launcher.adopt(id, pid, startTime: startTime)
      entry.unit = entry.process?.unit
      entry.session = details?.session
      entry.successor = successor
      if isSuspended { entry.process?.resumeAdopted() }
    }
    armWatchdog(id, seconds: seconds)
    add(id, entry)
  }

  private func add(_ id: InstanceID, _ entry: ProcessTable.Entry) {
    table.add(id, entry)
    onEvent(.changed(id, entry.snapshot))
  }

  // MARK: Watchdogs

  /// - Parameter seconds: nil for the time that a launch may take.
  package func armWatchdog(_ id: InstanceID, seconds: Int? = nil) {
    let seconds = seconds ?? settings.timeout
    watchdogs[id] = Deadline(after: .seconds(seconds)) { [weak self] in
      self?.onEvent(.timedOut(id, seconds: seconds))
    }
  }

  package func disarmWatchdog(_ id: InstanceID) { watchdogs[id] = nil }

  // MARK: Suspension

  /// Reports `suspensionDue` after the time of the settings.
  package func awaitSuspension(_ id: InstanceID) {
    guard let seconds = settings.suspendAfter else { return }
    table.change(id) {
      $0.suspensionTimer = Deadline(after: .seconds(seconds)) { [weak self] in
        self?.onEvent(.suspensionDue(id))
      }
    }
  }

  /// Suspends the whole unit, or else the process group.
  package func suspend(_ id: InstanceID) {
    // Recorded first, so that the next daemon resumes it.
    setSuspended(id, true)
    guard table[id]?.unit == nil else { return freeze(id, .suspend) }
    table[id]?.process?.signal(SIGSTOP)
  }

  package func resume(_ id: InstanceID) {
    freeze(id, .resume)
    table[id]?.process?.signal(SIGCONT)
    setSuspended(id, false)
  }

  private func setSuspended(_ id: InstanceID, _ isSuspended: Bool) {
    table.change(id) { $0.isSuspended = isSuspended }
    if let process = self[id] { onEvent(.changed(id, process)) }
  }

  private func freeze(_ id: InstanceID, _ event: UnitFreezer.Event) {
    guard let entry = table[id], entry.unit != nil, let process = entry.process else { return }
    var effect: UnitFreezer.Effect?
    table.change(id) { effect = $0.freezer.handle(event) }
    switch effect {
    case .freeze, .thaw:
      process.freeze(effect == .freeze) { [weak self] isDone in
        self?.freeze(id, isDone ? .done : .refused)
      }
    case .stop: process.signal(SIGSTOP)
    case .proceed: process.signal(SIGCONT)
    case nil: break
    }
  }

  // MARK: Ends

  /// Sends SIGTERM, then SIGKILL after 2 s. A launch whose process does not run yet is taken back.
  package func end(_ id: InstanceID) {
    if launcher.withdraw(id) {
      watchdogs[id] = nil
      return onEvent(.launchWithdrawn(id))
    }
    guard let process = table[id]?.process else { return }
    // A process that ended by itself leaves the bus, too, perhaps before its end is reported.
    let isRunning = process.isRunning
    freeze(id, .resume)
    process.signal(SIGTERM)
    process.signal(SIGCONT)  // a stopped process does not get SIGTERM
    watchdogs[id] = nil
    table.change(id) {
      $0.suspensionTimer = nil
      // The time of the first SIGTERM counts, however often this is called.
      guard $0.killTimer == nil else { return }
      $0.wasTerminated = isRunning
      $0.killTimer = Deadline(after: settings.killDelay) { process.signal(SIGKILL) }
    }
  }

  private func ended(_ id: InstanceID) {
    if !continueInSuccessor(id) { table.change(id) { $0.hasEnded = true } }
  }

  private func exited(_ id: InstanceID, _ end: ProcessEnd) {
    // A successor may have checked in since the process ended.
    guard table[id]?.hasEnded == true, !continueInSuccessor(id) else { return }
    onEvent(.exited(id, end))
  }

  /// A started process may leave its work to a child that checks in and lives on.
  /// - Returns: false when there is no such child.
  @discardableResult package func continueInSuccessor(_ id: InstanceID) -> Bool {
    guard let old = table[id], let process = old.process, let found = findSuccessor(id),
      found.pid != old.pid,
      let successor = launcher.successor(of: process, id, found.pid, startTime: found.startTime)
    else { return false }
    table.replace(id, by: successor)
    if let new = self[id] { onEvent(.succeeded(id, new, after: old.snapshot)) }
    return true
  }

  /// A process has checked in for the instance; the next daemon must know it, too, unless it is the
  /// instance's own.
  package func recordSuccessor(of id: InstanceID, pid: Int32, startTime: UInt64) {
    guard let entry = table[id], entry.process != nil else { return }
    let successor: SupervisedProcess.Successor? =
      pid == entry.pid ? nil : .init(pid: pid, startTime: startTime)
    guard successor != entry.successor else { return }
    table.change(id) { $0.successor = successor }
    if let process = self[id] { onEvent(.changed(id, process)) }
  }

  /// Forgets the process, which may still run.
  @discardableResult package func remove(_ id: InstanceID) -> SupervisedProcess? {
    watchdogs[id] = nil
    guard let entry = table.remove(id) else { return nil }
    entry.process?.release()
    return entry.snapshot
  }
}

// MARK: - Questions

extension ProcessSupervisor {
  package subscript(_ id: InstanceID) -> SupervisedProcess? { table[id]?.snapshot }

  package func instance(running pid: Int32) -> InstanceID? { table.instance(running: pid) }

  /// The instance that is this very process.
  package func instance(ofProcess process: (pid: Int32, startTime: UInt64)) -> InstanceID? {
    table.instance(ofProcess: process)
  }

  /// The instance that is the process or started it, directly or not.
  package func instance(startedAs process: ProcessAncestry) -> InstanceID? {
    table.instance(startedAs: process)
  }

  /// The application that the process or one of its ancestors was started as; the instance may have ended.
  package func application(startedAs process: ProcessAncestry) -> BundleIdentifier? {
    table.application(startedAs: process)
  }

  /// The process is traced back by its ancestors or its session, not only by its unit.
  package func isInTree(_ process: ProcessAncestry) -> Bool { table.isInTree(process) }

  /// The instance whose launch token this is.
  package func instance(ofToken token: String) -> InstanceID? { table.instance(ofToken: token) }

  /// Uses up a launch token.
  package func take(token: String) -> InstanceID? { table.take(token: token) }
}
