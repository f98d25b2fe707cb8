package import LaunchRules

/// The settings of `ProcessSupervisor`.
package nonisolated struct SupervisionSettings: Sendable {
  package var launcher = LauncherSetting.automatic
  /// Timeout for a launch, in seconds.
  package var timeout: Int
  /// Maximum number of concurrent launches.
  package var maximumLaunches: Int
  /// The time after which a launch no longer counts among the concurrent launches.
  package var longestSlot = Duration.seconds(2)
  /// Seconds in the background after which a process is suspended; nil for never.
  package var suspendAfter: Int?
  /// Delay between SIGTERM and SIGKILL.
  package var killDelay = Duration.seconds(2)

  package init(timeout: Int, maximumLaunches: Int) {
    self.timeout = timeout
    self.maximumLaunches = maximumLaunches
  }
}
