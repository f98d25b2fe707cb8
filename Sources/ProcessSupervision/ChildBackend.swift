internal import Glibc
internal import Host
package import LaunchRules

/// Starts applications as children of the daemon.
package final class ChildBackend: LaunchBackend {
  package init() {}

  package var isAvailable: Bool { true }

  package func start(_ order: LaunchOrder, onEvent: @escaping (LaunchEvent) -> Void) {
    do throws(SpawnError) {
      let child = try withExtendedLifetime(order.launch) { () throws(SpawnError) in
        try ChildProcess(order.child) { end in
          onEvent(.ended)
          onEvent(.exited(end))
        }
      }
      onEvent(.running(Child(child)))
    } catch {
      onEvent(.failed(OpenFailure(error)))
    }
  }

  /// Children are started immediately, so there is never an order to withdraw.
  package func withdraw(_ order: LaunchOrder) {}

  package func adopt(
    _ pid: Int32, startTime: UInt64, of application: BundleIdentifier,
    onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)? {
    Child(pid, startTime, onEvent)
  }

  /// Signals take effect immediately.
  package func thawBeforeExit(_ units: [String]) {}

  private final class Child: LaunchedProcess {
    private let process: ChildProcess
    let startTime: UInt64?

    init(_ process: ChildProcess) {
      self.process = process
      startTime = ProcessDetails(of: process.pid)?.startTime
    }

    init?(_ pid: Int32, _ startTime: UInt64, _ onEvent: @escaping (LaunchEvent) -> Void) {
      let process = try? ChildProcess(adopting: pid, startTime: startTime) {
        onEvent(.ended)
        onEvent(.exited($0))
      }
      guard let process else { return nil }
      self.process = process
      self.startTime = startTime
    }

    var pid: Int32 { process.pid }
    var unit: String? { nil }
    var isRunning: Bool { ProcessDetails(of: pid)?.hasEnded == false }

    func signal(_ number: Int32) { process.signalGroup(number) }
    func freeze(_ isFrozen: Bool, completion: @escaping (Bool) -> Void) { completion(false) }
    func resumeAdopted() { signal(SIGCONT) }

    func successor(
      _ pid: Int32, startTime: UInt64, onEvent: @escaping (LaunchEvent) -> Void
    ) -> (any LaunchedProcess)? {
      Child(pid, startTime, onEvent)
    }

    func release() {}
  }
}

nonisolated extension OpenFailure {
  init(_ error: SpawnError) {
    self =
      error.errno == .noSuchFile
      ? .noExecutable(error.description) : .launchFailed(error.description)
  }
}
