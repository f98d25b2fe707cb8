package import Host
package import LaunchRules

/// What `ProcessSupervisor` reports.
package enum SupervisionEvent {
  /// The service manager is told to start this unit: a process in it may call before `started`.
  case unitOrdered(String)
  /// It is known which instance the unit is, or that it is none.
  case unitSettled(String)
  /// A process was started. `changed` came before.
  case started(InstanceID, SupervisedProcess, ApplicationLaunch)
  case launchFailed(InstanceID, OpenFailure)
  /// The launch was taken back before its process ran.
  case launchWithdrawn(InstanceID)
  /// The watchdog of a launch or of a return has fired.
  case timedOut(InstanceID, seconds: Int)
  /// The process is to be recorded: it is new, was suspended or resumed, or has a successor.
  case changed(InstanceID, SupervisedProcess)
  /// The process has ended, and another one continues its work.
  case succeeded(InstanceID, SupervisedProcess, after: SupervisedProcess)
  /// The process has been in the background for the time of the settings.
  case suspensionDue(InstanceID)
  /// The process stays known until `remove`.
  case exited(InstanceID, ProcessEnd)
}

/// The settings of `ProcessSupervisor`.
package nonisolated struct SupervisionSettings: Sendable {
  package var launcher = LauncherSetting.automatic
  /// Seconds that a launch may take.
  package var timeout = 20
  /// How many launches are under way at once.
  package var maximumLaunches = 32
  /// Seconds in the background after which a process is suspended; nil for never.
  package var suspendAfter: Int?
  /// The time between SIGTERM and SIGKILL.
  package var killDelay = Duration.seconds(2)

  package init() {}
}

/// What is known of the process of an instance.
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
  /// Recognises a reused process number; nil when it could not be read.
  package var startTime: UInt64?
  /// A process that it has started, and that has checked in in its place.
  package var successor: Successor?
  package var unit: String?
  /// When it was started or appeared, in monotonic microseconds.
  package var since: UInt64
  /// This daemon or an earlier one started it, and it is watched.
  package var isOurs: Bool
  package var isSuspended: Bool
  /// It has ended, perhaps without it being known how.
  package var hasEnded: Bool
  /// It ran when it was sent SIGTERM.
  package var wasTerminated: Bool
}
