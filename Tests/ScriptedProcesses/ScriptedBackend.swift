internal import Host
package import LaunchRules
package import ProcessSupervision

/// A back end whose events the test decides.
package final class ScriptedBackend: LaunchBackend {
  package var isAvailable = true
  package private(set) var orders: [LaunchOrder] = []
  package private(set) var withdrawn: [InstanceID] = []
  package private(set) var thawed: [String] = []
  /// Called with each order.
  package var onStart: (LaunchOrder) -> Void = { _ in }
  private var reports: [InstanceID: (LaunchEvent) -> Void] = [:]

  package init() {}

  package func start(_ order: LaunchOrder, onEvent: @escaping (LaunchEvent) -> Void) {
    orders.append(order)
    reports[order.instance] = onEvent
    onStart(order)
  }

  package func withdraw(_ order: LaunchOrder) { withdrawn.append(order.instance) }

  package func adopt(
    _ pid: Int32, startTime: UInt64, of application: BundleIdentifier,
    onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)? { nil }

  package func thawBeforeExit(_ units: [String]) { thawed += units }

  package func report(_ event: LaunchEvent, of id: InstanceID) { reports[id]?(event) }
}

/// A process that does nothing but note what it is told.
package final class ScriptedProcess: LaunchedProcess {
  package let pid: Int32
  package let startTime: UInt64?
  package let unit: String?
  package var isRunning = true
  package private(set) var signals: [Int32] = []
  package private(set) var isReleased = false
  /// Orders to freeze or thaw that are not answered yet.
  package private(set) var freezings: [(isFrozen: Bool, completion: (Bool) -> Void)] = []
  /// The processes that took its place.
  package private(set) var successors: [ScriptedProcess] = []
  package private(set) var report: (LaunchEvent) -> Void = { _ in }
  package var onSignal: (Int32) -> Void = { _ in }

  package init(_ pid: Int32, startTime: UInt64 = 1, unit: String? = nil) {
    self.pid = pid
    self.startTime = startTime
    self.unit = unit
  }

  package func signal(_ number: Int32) {
    signals.append(number)
    onSignal(number)
  }

  package func freeze(_ isFrozen: Bool, completion: @escaping (Bool) -> Void) {
    freezings.append((isFrozen, completion))
  }

  package func resumeAdopted() {}

  package func successor(
    _ pid: Int32, startTime: UInt64, onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)? {
    let successor = ScriptedProcess(pid, startTime: startTime, unit: unit)
    successor.report = onEvent
    successors.append(successor)
    return successor
  }

  package func release() { isReleased = true }
}
