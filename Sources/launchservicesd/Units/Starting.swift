internal import BusContract
internal import DBus
internal import Glibc
internal import Host
internal import LaunchRules

// How the process of an application comes to be: as a unit of the user's service manager, or as a child.

/// Everything that is known about a process before it is started.
struct StartingProcess {
  let application: InstalledApplication
  var launch: Launch
  /// Holds the standard streams open.
  let options: OpenOptions
  let token: String
  let reason: OpenRequest?

  /// The open that it is started for.
  func logSubject(in opens: PendingOpens) -> [String: String] {
    reason.flatMap { opens[$0.id]?.logSubject } ?? [:]
  }
}

/// A unit that systemd has not told anything of yet.
struct StartingUnit {
  let name: String
  let watchdog: Deadline
}

extension Daemon {
  func start(_ id: InstanceID, _ process: StartingProcess) {
    let unit = ApplicationUnit.name(
      for: id.seat.application, random: String(randomToken().prefix(16)))
    carryOut(
      .choose(
        settings.launch.launcher, hasServiceManager: services.isPresent, hasUnitName: unit != nil),
      unit: unit, id, process)
  }

  private func carryOut(
    _ choice: LauncherChoice, unit: String?, _ id: InstanceID, _ process: StartingProcess
  ) {
    switch choice {
    case .unit:
      if let unit {
        noteStart(id, process, unit: unit) { [weak self] in self?.startUnit(unit, id, process) }
      }
    case .process:
      noteStart(id, process, unit: nil) { [weak self] in self?.startChild(id, process) }
    case .refused(let why): happened(.launchFailed(id, .launchFailed(why)), to: id)
    }
  }

  private func startChild(_ id: InstanceID, _ process: StartingProcess) {
    do throws(OpenFailure) {
      let child = try spawn(process, id)
      instances.descendants.started(
        id.seat.application, isSandboxed: process.application.declaration.platform == .iOS)
      started(id, process, child, unit: nil)
    } catch {
      happened(.launchFailed(id, error), to: id)
    }
  }

  private func spawn(
    _ process: StartingProcess, _ id: InstanceID
  ) throws(OpenFailure) -> ChildProcess {
    var launch = process.launch
    launch.takeStreams(of: process.options)
    do throws(SpawnError) {
      // Their numbers are good for as long as the options hold them open.
      return try withExtendedLifetime(process.options) { () throws(SpawnError) in
        try ChildProcess(launch) { [weak self] status in self?.exited(id, status) }
      }
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: SpawnError) -> OpenFailure {
    error.errno == .noSuchFile
      ? .noExecutable(error.description) : .launchFailed(error.description)
  }

  private func started(
    _ id: InstanceID, _ starting: StartingProcess, _ process: ChildProcess, unit: String?,
    watchdog old: Deadline? = nil
  ) {
    add(
      id,
      .init(
        pid: process.pid, process: process,
        startTime: ProcessDetails(of: process.pid)?.startTime, session: process.pid, unit: unit,
        token: starting.token, since: Time.monotonicMicroseconds(), watchdog: old ?? watchdog(id)))
    noteLaunched(id, starting, pid: process.pid, unit: unit)
  }

  private func noteLaunched(
    _ id: InstanceID, _ starting: StartingProcess, pid: Int32, unit: String?
  ) {
    if let reason = starting.reason { opens.note(reason.id, "launched", pid: pid) }
    journal.info(
      "launched",
      unit.map { ["application": id.seat.application.text, "pid": "\(pid)", "unit": $0] }
        ?? ["application": id.seat.application.text, "pid": "\(pid)"],
      about: starting.logSubject(in: opens))
    if settings.delivery.completesWhenInvoked, let reason = starting.reason {
      invoked(reason, .cold)
    }
  }

  // MARK: Units

  private func startUnit(_ unit: String, _ id: InstanceID, _ process: StartingProcess) {
    do throws(SpawnError) {
      try process.launch.check()
      try process.launch.checkExecutable()
    } catch {
      return happened(.launchFailed(id, Self.failure(error)), to: id)
    }
    let launch = process.launch
    let variables = launch.environment.filter { UnitEnvironment.allows($0.key) }
    var service = ServiceManagerContract.Service(
      description: process.application.declaration.displayName ?? id.seat.application.text,
      executable: launch.executable, arguments: launch.arguments, environment: variables,
      withoutVariables: HandlerEnvironment.activation.filter { variables[$0] == nil },
      workingDirectory: launch.workingDirectory ?? "/")
    service.standardInput = process.options.standardInput
    service.standardOutput = process.options.standardOutput ?? ownLog(STDOUT_FILENO)
    service.standardError = process.options.standardError ?? ownLog(STDERR_FILENO)
    startingUnits[id] = StartingUnit(name: unit, watchdog: watchdog(id))
    // It may ask something before it is known which process it is.
    callers.hold(unit)
    services.start(unit, service) { [weak self] outcome in
      self?.unitStarted(unit, id, process, outcome)
      self?.callers.letGo(unit)
    }
  }

  /// Where the daemon writes itself, as a child would; nil where that is the journal, in which the unit
  /// has a place of its own.
  private func ownLog(_ number: Int32) -> OwnedDescriptor? {
    guard !journal.isSystemJournal else { return nil }
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    return copy < 0 ? nil : OwnedDescriptor(adopting: copy)
  }

  private func unitStarted(
    _ unit: String, _ id: InstanceID, _ process: StartingProcess, _ outcome: ServiceManager.Start
  ) {
    guard let starting = startingUnits.removeValue(forKey: id) else {
      // It was asked to end before it had started.
      if case .done = outcome { services.stop(unit) }
      return services.release(unit)
    }
    switch outcome {
    case .done(let pid): take(pid, of: unit, id, process, starting.watchdog)
    case .failed(let failure): happened(.launchFailed(id, failure.naming(unit: unit)), to: id)
    case .refused(let why):
      journal.warning(
        "systemd did not take a unit", ["application": id.seat.application.text, "reason": why],
        about: process.logSubject(in: opens))
      carryOut(.afterRefusal(settings.launch.launcher, why: why), unit: nil, id, process)
    }
  }

  private func take(
    _ pid: Int32, of unit: String, _ id: InstanceID, _ process: StartingProcess,
    _ watchdog: Deadline
  ) {
    if let details = ProcessDetails(of: pid), callers.unit(of: details) == unit,
      let child = try? ChildProcess(
        adopting: pid, startTime: details.startTime,
        onExit: { [weak self] _ in self?.unitProcessEnded(id, unit) })
    {
      return started(id, process, child, unit: unit, watchdog: watchdog)
    }
    // It has ended already.
    noteLaunched(id, process, pid: pid, unit: unit)
    services.end(of: unit) { [weak self] end in
      self?.services.release(unit)
      self?.launchIsOver(id)
      self?.happened(.exited(id, how: ProcessEnd(end).sentence(unit: unit)), to: id)
    }
  }

  /// The kernel has told the end of the main process; how it ended, only its parent knows.
  func unitProcessEnded(_ id: InstanceID, _ unit: String) {
    if goesOnInSuccessor(id) { return }
    instances.change(id) { $0.hasEnded = true }
    services.end(of: unit) { [weak self] end in
      // A child of it may have checked in meanwhile.
      if self?.instances[id]?.hasEnded == true { self?.exited(id, ProcessEnd(end)) }
    }
  }

  /// A process that a daemon before this one has started as a unit still belongs to it.
  func heldUnit(of process: ProcessDetails?, _ id: InstanceID) -> String? {
    guard let unit = process.flatMap(callers.unit), ApplicationUnit.isOurs(unit),
      ApplicationUnit.identifier(in: unit) == id.seat.application
    else { return nil }
    services.hold(unit)
    return unit
  }
}

nonisolated extension OpenFailure {
  /// The same, with where to read more.
  func naming(unit: String) -> OpenFailure {
    let hint = " (unit \(unit); its log: \(ApplicationUnit.logCommand(of: unit)))"
    return switch self {
    case .noExecutable(let sentence): .noExecutable(sentence + hint)
    case .launchFailed(let sentence): .launchFailed(sentence + hint)
    case .launchTimedOut(let sentence): .launchTimedOut(sentence + hint)
    case .handlerTimedOut(let sentence): .handlerTimedOut(sentence + hint)
    default: self
    }
  }
}

nonisolated extension OpenFailure {
  /// Names the unit of a process that hangs. How one has ended names its unit already.
  func namingTimeOut(unit: String) -> OpenFailure {
    switch self {
    case .launchTimedOut, .handlerTimedOut: naming(unit: unit)
    default: self
    }
  }
}

nonisolated extension ProcessEnd {
  init(_ end: UnitEnd) {
    self =
      switch end {
      case .exited(let code): .exited(code: code)
      case .signalled(let number): .signalled(number: number)
      case .unknown: .unknown
      }
  }

  /// For whoever waited for an answer of the process.
  func sentence(unit: String?) -> String {
    guard let unit else { return description }
    return "\(self) (unit \(unit); its log: \(ApplicationUnit.logCommand(of: unit)))"
  }
}

extension Launch {
  fileprivate mutating func takeStreams(of options: OpenOptions) {
    if let given = options.standardInput { standardInput = .descriptor(given.number) }
    if let given = options.standardOutput { standardOutput = .descriptor(given.number) }
    if let given = options.standardError { standardError = .descriptor(given.number) }
  }
}
