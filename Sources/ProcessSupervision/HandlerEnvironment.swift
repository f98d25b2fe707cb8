internal import BusContract
internal import Host
internal import LaunchRules

/// The environment that launched applications get.
package nonisolated struct HandlerEnvironment: Sendable {
  private let inherited: [String: String]

  /// What belongs to the daemon's own start, or to the shell it was started from, and would mislead
  /// an application.
  private static let ours: Set<String> = [
    "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "INVOCATION_ID", "JOURNAL_STREAM",
    "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "MAINPID", "MANAGERPID", "NOTIFY_SOCKET",
    "OLDPWD", "PWD", "SHLVL", "SYSTEMD_EXEC_PID", "WATCHDOG_PID", "WATCHDOG_USEC", "_",
  ]
  /// An activation token is good for one launch: only the open that brought it sets these.
  package static let activation = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]

  package init(inheriting environment: [String: String]) {
    inherited = environment.filter { name, _ in
      !Self.ours.contains(name) && !name.hasPrefix("LAUNCH_SERVICES_")
    }
  }

  /// Of programs that are no applications, but tools of the daemon.
  package var ofTools: [String: String] { inherited.filter { !Self.activation.contains($0.key) } }

  package var path: String { inherited["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" }
  package var home: String { UserFolders(environment: inherited).home }

  /// `LSEnvironment` goes over what is inherited (R1.32), the opener's variables over that.
  func variables(for launch: ApplicationLaunch, token: String) -> [String: String] {
    var variables = inherited
    variables.merge(launch.application.declaration.environment) { $1 }
    variables.merge(launch.environment.filter { Self.mayBeSet($0.key) }) { $1 }
    for name in Self.activation { variables[name] = launch.activationToken }
    variables[Contract.tokenVariable] = token
    variables[Contract.identifierVariable] = launch.application.identifier.text
    return variables
  }

  /// An opener may not change what code runs under the application's identity.
  static func mayBeSet(_ name: String) -> Bool {
    !name.isEmpty && !name.contains("=") && !name.hasPrefix("LD_")
      && !name.hasPrefix("LAUNCH_SERVICES_")
  }
}
