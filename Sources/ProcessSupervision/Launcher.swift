internal import Host
package import LaunchRules

/// Records a start before it happens, so that the next daemon finds the process. Calls the last parameter
/// when the record is written, unless the process is no longer needed.
package typealias StartRecorder = (
  InstanceID, _ token: String, _ unit: String?, _ start: @escaping () -> Void
) -> Void

/// Starts the programs of applications with the back end that settings and system allow.
final class Launcher {
  enum Event {
    case unitOrdered(String)
    case unitSettled(String)
    /// The order was passed to a back end.
    case ordered(InstanceID)
    case running(any LaunchedProcess, LaunchOrder)
    case failed(InstanceID, OpenFailure)
    case ended(InstanceID)
    case exited(InstanceID, ProcessEnd)
  }

  /// Descriptors that launches must leave free, because the identification of callers needs some.
  private static let reservedDescriptors: UInt = 32

  private let setting: LauncherSetting
  private let environment: HandlerEnvironment
  private let units: any LaunchBackend
  private let children: any LaunchBackend
  private let journal: Journal
  /// Orders without a running process so far.
  private var orders: [InstanceID: LaunchOrder] = [:]

  var onEvent: (Event) -> Void = { _ in }
  var recordStart: StartRecorder = { $3() }

  init(
    _ setting: LauncherSetting, _ environment: HandlerEnvironment, units: any LaunchBackend,
    children: any LaunchBackend, _ journal: Journal
  ) {
    self.setting = setting
    self.environment = environment
    self.units = units
    self.children = children
    self.journal = journal
  }

  func start(_ id: InstanceID, _ launch: ApplicationLaunch) {
    do throws(OpenFailure) {
      guard !DescriptorLimit.isNear(Self.reservedDescriptors) else {
        throw .limitExceeded(
          "\(id.slot.application) is not started, because the daemon is short of file descriptors: end"
            + " some applications, or raise LimitNOFILE of launchservicesd.service")
      }
      let program = try ProgramLookup.find(launch.application, path: environment.path)
      let token = randomToken()
      let order = LaunchOrder(
        instance: id, launch: launch, token: token, executable: program.executable,
        arguments: program.arguments + launch.arguments,
        environment: environment.variables(for: launch, token: token),
        workingDirectory: environment.home)
      let unit = ApplicationUnit.name(
        for: id.slot.application, random: String(randomToken().prefix(16)))
      carryOut(
        .choose(setting, hasServiceManager: units.isAvailable, hasUnitName: unit != nil), order,
        unit: unit)
    } catch {
      onEvent(.failed(id, error))
    }
  }

  private func carryOut(_ choice: LauncherChoice, _ order: LaunchOrder, unit: String?) {
    var order = order
    switch choice {
    case .unit: order.unit = unit
    case .process: order.unit = nil
    case .refused(let why): return onEvent(.failed(order.instance, .launchFailed(why)))
    }
    recordStart(order.instance, order.token, order.unit) { [weak self, order] in self?.run(order) }
  }

  private func run(_ order: LaunchOrder) {
    orders[order.instance] = order
    onEvent(.ordered(order.instance))
    if let unit = order.unit { onEvent(.unitOrdered(unit)) }
    backend(of: order).start(order) { [weak self] in self?.handle($0, of: order) }
  }

  private func backend(of order: LaunchOrder) -> any LaunchBackend {
    order.unit == nil ? children : units
  }

  private func handle(_ event: LaunchEvent, of order: LaunchOrder) {
    let id = order.instance
    switch event {
    case .running(let process):
      orders[id] = nil
      onEvent(.running(process, order))
    case .failed(let failure):
      orders[id] = nil
      onEvent(.failed(id, failure))
    case .refused(let why):
      orders[id] = nil
      journal.warning(
        "systemd rejected the unit of an application",
        ["application": id.slot.application.text, "reason": why],
        about: order.launch.logSubject)
      carryOut(.afterRefusal(setting, why: why), order, unit: nil)
    case .withdrawn: break
    case .ended: return onEvent(.ended(id))
    case .exited(let end): return onEvent(.exited(id, end))
    }
    if let unit = order.unit { onEvent(.unitSettled(unit)) }
  }

  /// Withdraws an order without a running process. Returns false without such an order.
  func withdraw(_ id: InstanceID) -> Bool {
    guard let order = orders.removeValue(forKey: id) else { return false }
    backend(of: order).withdraw(order)
    return true
  }

  /// Supervises a process that a previous daemon started; nil when the process has ended.
  func adopt(_ id: InstanceID, _ pid: Int32, startTime: UInt64) -> (any LaunchedProcess)? {
    for backend in [units, children] {
      let process = backend.adopt(pid, startTime: startTime, of: id.slot.application) {
        [weak self] in self?.handle($0, ofRunning: id)
      }
      if let process { return process }
    }
    return nil
  }

  func successor(
    of process: any LaunchedProcess, _ id: InstanceID, _ pid: Int32, startTime: UInt64
  ) -> (any LaunchedProcess)? {
    process.successor(pid, startTime: startTime) { [weak self] in self?.handle($0, ofRunning: id) }
  }

  private func handle(_ event: LaunchEvent, ofRunning id: InstanceID) {
    switch event {
    case .ended: onEvent(.ended(id))
    case .exited(let end): onEvent(.exited(id, end))
    case .running, .failed, .refused, .withdrawn: break
    }
  }

  func thawBeforeExit(_ units: [String]) { self.units.thawBeforeExit(units) }
}
