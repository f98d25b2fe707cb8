import Host
import LaunchRules
import ProcessSupervision

/// A back end whose events the test decides.
final class ScriptedBackend: LaunchBackend {
  var isAvailable = true
  private(set) var orders: [LaunchOrder] = []
  private(set) var withdrawn: [InstanceID] = []
  private(set) var thawed: [String] = []
  private var reports: [InstanceID: (LaunchEvent) -> Void] = [:]

  func start(_ order: LaunchOrder, onEvent: @escaping (LaunchEvent) -> Void) {
    orders.append(order)
    reports[order.instance] = onEvent
  }

  func withdraw(_ order: LaunchOrder) { withdrawn.append(order.instance) }

  func adopt(
    _ pid: Int32, startTime: UInt64, of application: BundleIdentifier,
    onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)? { nil }

  func thawBeforeExit(_ units: [String]) { thawed += units }

  func report(_ event: LaunchEvent, of id: InstanceID) { reports[id]?(event) }
}

/// A process that does nothing but note what it is told.
final class ScriptedProcess: LaunchedProcess {
  let pid: Int32
  let startTime: UInt64?
  let unit: String?
  var isRunning = true
  private(set) var signals: [Int32] = []
  private(set) var isReleased = false
  /// Orders to freeze or thaw that are not answered yet.
  private(set) var freezings: [(isFrozen: Bool, completion: (Bool) -> Void)] = []
  /// The processes that took its place.
  private(set) var successors: [ScriptedProcess] = []
  private(set) var report: (LaunchEvent) -> Void = { _ in }
  var onSignal: (Int32) -> Void = { _ in }

  init(_ pid: Int32, startTime: UInt64 = 1, unit: String? = nil) {
    self.pid = pid
    self.startTime = startTime
    self.unit = unit
  }

  func signal(_ number: Int32) {
    signals.append(number)
    onSignal(number)
  }

  func freeze(_ isFrozen: Bool, completion: @escaping (Bool) -> Void) {
    freezings.append((isFrozen, completion))
  }

  func resumeAdopted() {}

  func successor(
    _ pid: Int32, startTime: UInt64, onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)? {
    let successor = ScriptedProcess(pid, startTime: startTime, unit: unit)
    successor.report = onEvent
    successors.append(successor)
    return successor
  }

  func release() { isReleased = true }
}
