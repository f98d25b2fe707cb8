internal import DBus
package import Host
package import LaunchRules

/// A method of starting application processes and of observing their end.
package protocol LaunchBackend: AnyObject {
  /// Whether processes can be started with this back end now.
  var isAvailable: Bool { get }

  /// Starts a process.
  /// - Parameter onEvent: called immediately or later. `failed`, `refused`, `withdrawn` and `exited` are
  ///   final events.
  func start(_ order: LaunchOrder, onEvent: @escaping (LaunchEvent) -> Void)

  /// Withdraws an order without a reported `running` or final event. `withdrawn` follows.
  func withdraw(_ order: LaunchOrder)

  /// Supervises a process that a previous daemon started; nil when the process was not started by this back
  /// end or has ended.
  func adopt(
    _ pid: Int32, startTime: UInt64, of application: BundleIdentifier,
    onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)?

  /// Undoes the pending suspensions of these units, before the daemon ends.
  func thawBeforeExit(_ units: [String])
}

/// The order to start a process.
package nonisolated struct LaunchOrder {
  package var instance: InstanceID
  package var launch: ApplicationLaunch
  /// The launch token, which the process presents at its check-in.
  package var token: String
  package var executable: String
  package var arguments: [String]
  package var environment: [String: String]
  package var workingDirectory: String
  /// The name of the unit to start it as; nil for a child process.
  package var unit: String?

  /// The parameters for fork and exec. The descriptors are valid for the lifetime of the order.
  var child: Launch {
    var child = Launch(
      executable: executable, arguments: arguments, environment: environment,
      workingDirectory: workingDirectory)
    if let given = launch.standardInput { child.standardInput = .descriptor(given.number) }
    if let given = launch.standardOutput { child.standardOutput = .descriptor(given.number) }
    if let given = launch.standardError { child.standardError = .descriptor(given.number) }
    return child
  }
}

package enum LaunchEvent {
  case running(any LaunchedProcess)
  /// The program cannot run.
  case failed(OpenFailure)
  /// Nothing was started; another back end may start the process. A sentence without its full stop.
  case refused(String)
  /// The order was withdrawn.
  case withdrawn
  /// The process has ended; `exited` with the status follows, immediately or later.
  case ended
  case exited(ProcessEnd)
}

/// A process that a back end has started.
package protocol LaunchedProcess: AnyObject {
  var pid: Int32 { get }
  /// Nil when the process had ended before the start time could be read.
  var startTime: UInt64? { get }
  var unit: String? { get }
  /// False as soon as the process has ended, even before the end is reported.
  var isRunning: Bool { get }

  /// Sends a signal to the process group.
  func signal(_ number: Int32)
  /// Freezes or thaws the unit. `completion` gets false when the service manager refuses.
  func freeze(_ isFrozen: Bool, completion: @escaping (Bool) -> Void)
  /// Resumes a process that a previous daemon suspended. Call before the bus is served.
  func resumeAdopted()
  /// Supervises the process that replaces this one; nil when that process has ended.
  func successor(
    _ pid: Int32, startTime: UInt64, onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)?
  /// Releases the resources for observing the process.
  func release()
}
