/// The setting for the method of starting application processes.
package enum LauncherSetting: String, Hashable, Sendable, CaseIterable {
  /// As units of systemd if the user's service manager is on the bus, otherwise by the daemon.
  case automatic
  /// Only as units of systemd.
  case systemd
  /// Only as processes of the daemon.
  case spawn
}

/// The method of starting one process.
package enum LauncherChoice: Hashable, Sendable {
  /// As a unit of the user's service manager.
  case unit
  /// As a child of the daemon.
  case process
  /// The process is not started; a sentence without its full stop.
  case refused(String)

  /// - Parameters:
  ///   - hasServiceManager: whether `org.freedesktop.systemd1` is on the session bus.
  ///   - hasUnitName: whether the identifier is short enough for a unit name.
  package static func choose(
    _ setting: LauncherSetting, hasServiceManager: Bool, hasUnitName: Bool
  ) -> LauncherChoice {
    switch (setting, hasServiceManager, hasUnitName) {
    case (.spawn, _, _): .process
    case (.automatic, true, true), (.systemd, true, true): .unit
    case (.automatic, false, _), (.automatic, _, false): .process
    case (.systemd, false, _):
      .refused(
        "the launcher is systemd (setting Launcher, --launcher or --confined), but org.freedesktop.systemd1 is not on the session bus;"
          + " set it to automatic or spawn, or start a user manager")
    case (.systemd, true, false):
      .refused(
        "the launcher is systemd (setting Launcher, --launcher or --confined), but the bundle identifier is too long for the name of a"
          + " unit; set it to automatic or spawn")
    }
  }

  /// The choice after the service manager rejected the unit, so that nothing was started.
  /// - Parameter why: the error text of the service manager.
  package static func afterRefusal(_ setting: LauncherSetting, why: String) -> LauncherChoice {
    switch setting {
    case .automatic, .spawn: .process
    case .systemd: .refused("systemd refused the unit: \(why)")
    }
  }
}
