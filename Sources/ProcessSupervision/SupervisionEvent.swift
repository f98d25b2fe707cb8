package import Host
package import LaunchRules

/// The events of `ProcessSupervisor`.
package enum SupervisionEvent {
  /// The service manager is being told to start this unit. A process of the unit may make calls before
  /// `started`.
  case unitOrdered(String)
  /// The instance of the unit is known, or the unit has none.
  case unitSettled(String)
  /// A process was started. A `changed` event came before.
  case started(InstanceID, SupervisedProcess, ApplicationLaunch)
  case launchFailed(InstanceID, OpenFailure)
  /// The launch was withdrawn before its process ran.
  case launchWithdrawn(InstanceID)
  /// The watchdog of a launch or of an expected return fired.
  case timedOut(InstanceID, seconds: Int)
  /// The record of the process must be updated: the process is new, was suspended or resumed, or has a
  /// successor.
  case changed(InstanceID, SupervisedProcess)
  /// The process has ended, and another process continues the instance.
  case succeeded(InstanceID, SupervisedProcess, after: SupervisedProcess)
  /// The process has been in the background for the suspension delay of the settings.
  case suspensionDue(InstanceID)
  /// The process has ended. `exited` follows, unless `continueInSuccessor` is called.
  case ended(InstanceID)
  /// How the process has ended. The process stays in the table until `remove`. `continueInSuccessor` may still be
  /// called, because a successor may have checked in after the process ended.
  case exited(InstanceID, ProcessEnd)
}

/// The settings of `ProcessSupervisor`.
package nonisolated struct SupervisionSettings: Sendable {
  package var launcher = LauncherSetting.automatic
  /// Timeout for a launch, in seconds.
  package var timeout = 20
  /// Maximum number of concurrent launches.
  package var maximumLaunches = 32
  /// Seconds in the background after which a process is suspended; nil for never.
  package var suspendAfter: Int?
  /// Delay between SIGTERM and SIGKILL.
  package var killDelay = Duration.seconds(2)

  package init() {}
}

/// The known state of the process of an instance.
package nonisolated struct SupervisedProcess: Hashable, Sendable {
  package struct Successor: Hashable, Sendable {
    package var pid: Int32
    package var startTime: UInt64

    package init(pid: Int32, startTime: UInt64) {
      self.pid = pid
      self.startTime = startTime
    }
  }

  package var pid: Int32
  /// Detects a reused process number; nil when it could not be read.
  package var startTime: UInt64?
  /// A child process that has checked in for this process.
  package var successor: Successor?
  package var unit: String?
  /// Time of the start or first appearance, in monotonic microseconds.
  package var since: UInt64
  /// Whether this daemon or a previous one started the process, and supervises it.
  package var isOurs: Bool
  package var isSuspended: Bool
  /// Whether the process has ended. Its exit status may still be unknown.
  package var hasEnded: Bool
  /// Whether the process was running when SIGTERM was sent.
  package var wasTerminated: Bool
}
