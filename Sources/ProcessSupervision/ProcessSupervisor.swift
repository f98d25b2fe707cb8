internal import Glibc
package import Host
package import LaunchRules

/// Starts, supervises, suspends and ends the processes of applications.
package final class ProcessSupervisor {
  private let settings: SupervisionSettings
  private let launcher: Launcher
  private var table = ProcessTable()
  private let queue: LaunchQueue
  private var watchdogs: [InstanceID: Deadline] = [:]
  /// The applications started as child processes.
  package private(set) var descendants = Descendants.ofNobody

  package var onEvent: (SupervisionEvent) -> Void = { _ in }

  package init(
    _ settings: SupervisionSettings, _ environment: HandlerEnvironment,
    units: any LaunchBackend, children: any LaunchBackend, _ journal: Journal
  ) {
    self.settings = settings
    queue = LaunchQueue(limit: settings.maximumLaunches, longest: settings.longestSlot)
    launcher = Launcher(
      settings.launcher, environment, units: units, children: children, journal)
    launcher.onEvent = { [weak self] in self?.handle($0) }
  }

  /// Undoes pending suspensions, because no later daemon would do so.
  package func stop() {
    launcher.thawBeforeExit(
      table.all.compactMap { entry in
        if case .freezing = entry.freezer.state { entry.unit } else { nil }
      })
  }

  // MARK: Launching

  /// Sets the closure that records starts. Call once.
  package func recordStarts(_ record: @escaping StartRecorder) { launcher.recordStart = record }

  /// Calls `begin` when a launch slot is free. `launchEnded` releases the slot.
  /// - Parameters:
  ///   - caller: the caller that uses its share of the slots; nil when no caller requested the launch.
  ///   - groups: the groups that the caller belongs to.
  package func launch(
    _ id: InstanceID, for caller: LoadOwner? = nil, in groups: [LoadOwner] = [],
    _ begin: @escaping () -> Void
  ) {
    queue.add(id, for: caller, in: groups, begin)
  }

  /// Ends the launch, successful or not.
  package func launchEnded(_ id: InstanceID) { queue.end(id) }

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

  // MARK: Processes not started by this daemon

  /// Adds a process that the daemon did not start.
  package func add(_ id: InstanceID, pid: Int32, startTime: UInt64) {
    add(id, .init(pid: pid, startTime: startTime, since: Time.monotonicMicroseconds()))
  }

  /// Remembers a session that a previous daemon created for the process of an application. Call before `adopt`.
  /// - Parameter startTime: start time of the leader, in clock ticks since boot.
  package func remember(session: Int32, startTime: UInt64, of application: BundleIdentifier) {
    table.remember(session: session, startTime: startTime, of: application)
  }

  /// Adds a process that served a previous daemon. Its watchdog fires after `seconds`.
  /// - Parameter isOurs: whether a previous daemon started the process.
  package func adopt(
    _ id: InstanceID, pid: Int32, startTime: UInt64, isOurs: Bool, isSuspended: Bool,
    successor: SupervisedProcess.Successor? = nil, patience seconds: Int
  ) {
    var (pid, startTime, successor) = (pid, startTime, successor)
    var process = isOurs ? launcher.adopt(id, pid, startTime: startTime) : nil
    if isOurs, process == nil, let next = successor {
      // The process has ended since it was looked for.
      process = launcher.adopt(id, next.pid, startTime: next.startTime)
      (pid, startTime, successor) = (next.pid, next.startTime, nil)
    }
    let details = ProcessDetails(of: pid)
    let age = details.map { Time.microsecondsSinceBoot() - $0.startedAt } ?? 0
    let now = Time.monotonicMicroseconds()
    var entry = ProcessTable.Entry(pid: pid, startTime: startTime, since: now - min(age, now))
    if isOurs {
      entry.process = process
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

  /// - Parameter seconds: nil for the launch timeout.
  package func armWatchdog(_ id: InstanceID, seconds: Int? = nil) {
    let seconds = seconds ?? settings.timeout
    watchdogs[id] = Deadline(after: .seconds(seconds)) { [weak self] in
      self?.onEvent(.timedOut(id, seconds: seconds))
    }
  }

  package func disarmWatchdog(_ id: InstanceID) { watchdogs[id] = nil }

  // MARK: Suspension

  /// Reports `suspensionDue` after the suspension delay of the settings.
  package func awaitSuspension(_ id: InstanceID) {
    guard let seconds = settings.suspendAfter else { return }
    table.change(id) {
      $0.suspensionTimer = Deadline(after: .seconds(seconds)) { [weak self] in
        self?.onEvent(.suspensionDue(id))
      }
    }
  }

  /// Suspends the whole unit, or the process group of a process without unit.
  package func suspend(_ id: InstanceID) {
    // The record is written first, so that the next daemon resumes the process.
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

  /// Sends SIGTERM, then SIGKILL after `killDelay`. A launch without a running process is withdrawn.
  package func end(_ id: InstanceID) {
    if launcher.withdraw(id) {
      watchdogs[id] = nil
      return onEvent(.launchWithdrawn(id))
    }
    // The delay counts from the first SIGTERM, also when this method is called again.
    guard let entry = table[id], let process = entry.process, entry.killTimer == nil else { return }
    // A process that ends by itself also leaves the bus, possibly before its end is reported.
    let isRunning = process.isRunning
    freeze(id, .resume)
    process.signal(SIGTERM)
    process.signal(SIGCONT)  // a stopped process does not get SIGTERM
    watchdogs[id] = nil
    table.change(id) {
      $0.suspensionTimer = nil
      $0.wasTerminated = isRunning
      $0.killTimer = Deadline(after: settings.killDelay) { process.signal(SIGKILL) }
    }
  }

  private func ended(_ id: InstanceID) {
    guard table[id] != nil else { return }
    table.change(id) { $0.hasEnded = true }
    onEvent(.ended(id))
  }

  private func exited(_ id: InstanceID, _ end: ProcessEnd) {
    if table[id]?.hasEnded == true { onEvent(.exited(id, end)) }
  }

  /// Continues an instance whose process has ended in the recorded successor, if that still runs.
  /// - Returns: false without such a successor.
  @discardableResult package func continueInSuccessor(_ id: InstanceID) -> Bool {
    guard let old = table[id], old.hasEnded, let process = old.process, let found = old.successor,
      found.pid != old.pid,
      let successor = launcher.successor(of: process, id, found.pid, startTime: found.startTime)
    else { return false }
    table.replace(id, by: successor)
    if let new = self[id] { onEvent(.succeeded(id, new, after: old.snapshot)) }
    return true
  }

  /// Records a process that has checked in for the instance, so that the next daemon knows the process. Does
  /// nothing if the process is that of the instance.
  package func recordSuccessor(of id: InstanceID, pid: Int32, startTime: UInt64) {
    guard let entry = table[id], entry.process != nil else { return }
    let successor: SupervisedProcess.Successor? =
      pid == entry.pid ? nil : .init(pid: pid, startTime: startTime)
    guard successor != entry.successor else { return }
    table.change(id) { $0.successor = successor }
    if let process = self[id] { onEvent(.changed(id, process)) }
  }

  /// Removes the process from the table. The process may still run.
  @discardableResult package func remove(_ id: InstanceID) -> SupervisedProcess? {
    watchdogs[id] = nil
    guard let entry = table.remove(id) else { return nil }
    entry.process?.release()
    return entry.snapshot
  }
}

// MARK: - Queries

extension ProcessSupervisor {
  package subscript(_ id: InstanceID) -> SupervisedProcess? { table[id]?.snapshot }

  package func instance(running pid: Int32) -> InstanceID? { table.instance(running: pid) }

  /// The instance with exactly this process.
  package func instance(ofProcess process: (pid: Int32, startTime: UInt64)) -> InstanceID? {
    table.instance(ofProcess: process)
  }

  /// The instance that is the process or an ancestor of it.
  package func instance(startedAs process: ProcessAncestry) -> InstanceID? {
    table.instance(startedAs: process)
  }

  /// The application that the process or one of its ancestors was started for. The instance may have ended.
  package func application(startedAs process: ProcessAncestry) -> BundleIdentifier? {
    table.application(startedAs: process)
  }

  /// Whether the process is found by its ancestors or its session, not only by its unit.
  package func isInTree(_ process: ProcessAncestry) -> Bool { table.isInTree(process) }

  /// The instance with this launch token.
  package func instance(ofToken token: String) -> InstanceID? { table.instance(ofToken: token) }

  /// Consumes a launch token and returns its instance.
  package func take(token: String) -> InstanceID? { table.take(token: token) }
}
