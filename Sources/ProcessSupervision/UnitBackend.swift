internal import BusContract
internal import DBus
internal import Glibc
package import Host
package import LaunchRules

/// Starts applications as units of the user's service manager.
package final class UnitBackend: LaunchBackend {
  private let services: ServiceManager
  private let journal: Journal
  /// Units that were withdrawn while systemd started them.
  private var withdrawn: Set<String> = []

  package init(_ services: ServiceManager, _ journal: Journal) {
    self.services = services
    self.journal = journal
  }

  package var isAvailable: Bool { services.isPresent }

  package func start(_ order: LaunchOrder, onEvent: @escaping (LaunchEvent) -> Void) {
    guard let unit = order.unit else {
      return onEvent(.refused("the launch names no unit"))
    }
    do throws(SpawnError) {
      try order.child.check()
      try order.child.checkExecutable()
    } catch {
      return onEvent(.failed(OpenFailure(error)))
    }
    services.start(unit, service(order)) { [weak self] in
      self?.handle($0, of: unit, order.instance, onEvent)
    }
  }

  private func service(_ order: LaunchOrder) -> ServiceManagerContract.Service {
    let variables = order.environment.filter { UnitEnvironment.allows($0.key) }
    var service = ServiceManagerContract.Service(
      description: order.launch.application.declaration.displayName
        ?? order.instance.slot.application.text,
      executable: order.executable, arguments: order.arguments, environment: variables,
      withoutVariables: HandlerEnvironment.activation.filter { variables[$0] == nil },
      workingDirectory: order.workingDirectory)
    service.standardInput = order.launch.standardInput
    service.standardOutput = order.launch.standardOutput ?? ownLog(STDOUT_FILENO)
    service.standardError = order.launch.standardError ?? ownLog(STDERR_FILENO)
    return service
  }

  /// The stream that a child process would inherit; nil when the daemon writes to the journal, because the
  /// unit then has its own log.
  private func ownLog(_ number: Int32) -> OwnedDescriptor? {
    guard !journal.isSystemJournal else { return nil }
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    return copy < 0 ? nil : OwnedDescriptor(adopting: copy)
  }

  private func handle(
    _ outcome: ServiceManager.Start, of unit: String, _ instance: InstanceID,
    _ onEvent: @escaping (LaunchEvent) -> Void
  ) {
    if withdrawn.remove(unit) != nil {
      if case .done = outcome { services.stop(unit) }
      services.release(unit)
      return onEvent(.withdrawn)
    }
    switch outcome {
    case .failed(let failure): onEvent(.failed(failure.naming(unit: unit)))
    case .refused(let why): onEvent(.refused(why))
    case .done(let pid):
      if let details = ProcessDetails(of: pid), services.unit(of: details) == unit,
        let process = UnitProcess(pid, details.startTime, unit, services, onEvent)
      {
        return onEvent(.running(process))
      }
      onEvent(.running(EndedUnitProcess(pid, unit, services)))
      onEvent(.ended)
      services.end(of: unit) { onEvent(.exited(ProcessEnd($0))) }
    }
  }

  package func withdraw(_ order: LaunchOrder) {
    guard let unit = order.unit else { return }
    withdrawn.insert(unit)
    services.stop(unit)
  }

  package func adopt(
    _ pid: Int32, startTime: UInt64, of application: BundleIdentifier,
    onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)? {
    guard let unit = ProcessDetails(of: pid).flatMap(services.unit), ApplicationUnit.isOurs(unit),
      ApplicationUnit.identifier(in: unit) == application
    else { return nil }
    services.reference(unit)
    if let process = UnitProcess(pid, startTime, unit, services, onEvent) { return process }
    services.release(unit)
    return nil
  }

  package func thawBeforeExit(_ units: [String]) { services.thawAtLast(units) }
}

/// The main process of a unit.
private final class UnitProcess: LaunchedProcess {
  private let process: ChildProcess
  private let name: String
  private let services: ServiceManager
  let startTime: UInt64?

  /// Watches for the end with the kernel. Only systemd, the parent of the process, knows the exit status.
  convenience init?(
    _ pid: Int32, _ startTime: UInt64, _ unit: String, _ services: ServiceManager,
    _ onEvent: @escaping (LaunchEvent) -> Void
  ) {
    self.init(
      pid, startTime, unit, services,
      watch: { _ in
        onEvent(.ended)
        services.end(of: unit) { onEvent(.exited(ProcessEnd($0))) }
      })
  }

  private init?(
    _ pid: Int32, _ startTime: UInt64, _ unit: String, _ services: ServiceManager,
    watch onExit: @escaping @MainActor (ProcessEnd) -> Void
  ) {
    let process = try? ChildProcess(adopting: pid, startTime: startTime, onExit: onExit)
    guard let process else { return nil }
    self.process = process
    self.startTime = startTime
    self.services = services
    name = unit
  }

  var pid: Int32 { process.pid }
  var unit: String? { name }
  var isRunning: Bool { ProcessDetails(of: pid)?.hasEnded == false }

  func signal(_ number: Int32) { process.signalGroup(number) }

  func freeze(_ isFrozen: Bool, completion: @escaping (Bool) -> Void) {
    services.freeze(name, isFrozen, completion: completion)
  }

  func resumeAdopted() {
    signal(SIGCONT)
    services.order(.thawUnit, name)
  }

  /// The end of a successor is watched with the kernel, because systemd reports the end of the main process
  /// only.
  func successor(
    _ pid: Int32, startTime: UInt64, onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)? {
    UnitProcess(
      pid, startTime, name, services,
      watch: {
        onEvent(.ended)
        onEvent(.exited($0))
      })
  }

  func release() { services.release(name) }
}

/// A main process that had already ended when systemd reported its number.
private final class EndedUnitProcess: LaunchedProcess {
  private let name: String
  private let services: ServiceManager
  let pid: Int32

  init(_ pid: Int32, _ unit: String, _ services: ServiceManager) {
    self.pid = pid
    self.services = services
    name = unit
  }

  var startTime: UInt64? { nil }
  var unit: String? { name }
  var isRunning: Bool { false }
  func signal(_ number: Int32) {}
  func freeze(_ isFrozen: Bool, completion: @escaping (Bool) -> Void) { completion(false) }
  func resumeAdopted() {}
  func successor(
    _ pid: Int32, startTime: UInt64, onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)? { nil }
  func release() { services.release(name) }
}
