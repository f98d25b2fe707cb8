internal import DBus
package import Host
package import LaunchRules

/// One way to start the processes of applications and to learn how they end.
package protocol LaunchBackend: AnyObject {
  /// False while nothing can be started this way.
  var isAvailable: Bool { get }

  /// Starts a process.
  /// - Parameter onEvent: called at once or later. After `failed`, `refused`, `withdrawn` or `exited` nothing
  ///   more comes.
  func start(_ order: LaunchOrder, onEvent: @escaping (LaunchEvent) -> Void)

  /// Takes back an order of which neither `running` nor an end has been reported. `withdrawn` follows.
  func withdraw(_ order: LaunchOrder)

  /// Watches a process that an earlier daemon started; nil when it was not started this way or has ended.
  func adopt(
    _ pid: Int32, startTime: UInt64, of application: BundleIdentifier,
    onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)?

  /// Before the daemon ends: undoes the suspensions that are under way in these units.
  func thawBeforeExit(_ units: [String])
}

/// One process to start.
package nonisolated struct LaunchOrder {
  package var instance: InstanceID
  package var launch: ApplicationLaunch
  /// What the process shows when it checks in.
  package var token: String
  package var executable: String
  package var arguments: [String]
  package var environment: [String: String]
  package var workingDirectory: String
  /// The name of the unit to start it as; nil for a child process.
  package var unit: String?

  /// What fork and exec need. The descriptors are valid as long as the order exists.
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
  /// Nothing was started; another back end may do it. A sentence without its full stop.
  case refused(String)
  /// The order was taken back.
  case withdrawn
  /// The process has ended; `exited` says how, at once or later.
  case ended
  case exited(ProcessEnd)
}

/// A process that a back end has started.
package protocol LaunchedProcess: AnyObject {
  var pid: Int32 { get }
  /// Nil when it had ended before it could be read.
  var startTime: UInt64? { get }
  var unit: String? { get }
  /// False as soon as the process has ended, even before that was reported.
  var isRunning: Bool { get }

  /// Sends a signal to the process group.
  func signal(_ number: Int32)
  /// Freezes or thaws the unit. `completion` gets false when the service manager refuses.
  func freeze(_ isFrozen: Bool, completion: @escaping (Bool) -> Void)
  /// Lets a process run that an earlier daemon suspended. For use before the bus is served.
  func resumeAdopted()
  /// The process that takes the place of this one; nil when it has ended.
  func successor(
    _ pid: Int32, startTime: UInt64, onEvent: @escaping (LaunchEvent) -> Void
  ) -> (any LaunchedProcess)?
  /// Nothing more is asked about the process.
  func release()
}
