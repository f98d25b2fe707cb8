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
