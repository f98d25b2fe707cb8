internal import BusContract
internal import Host
internal import LaunchRules

/// The environment of launched applications.
package nonisolated struct HandlerEnvironment: Sendable {
  private let inherited: [String: String]
  /// The socket of a daemon without a bus; nil for a daemon with a bus, where handlers check in on the bus.
  private let socket: String?

  /// Variables of the daemon's own activation or of its shell. They would mislead an application.
  private static let ours: Set<String> = [
    "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "INVOCATION_ID", "JOURNAL_STREAM",
    "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "MAINPID", "MANAGERPID", "NOTIFY_SOCKET",
    "OLDPWD", "PWD", "SHLVL", "SYSTEMD_EXEC_PID", "WATCHDOG_PID", "WATCHDOG_USEC", "_",
  ]
  /// An activation token is valid for one launch, so only the open that carries the token sets these
  /// variables.
  package static let activation = ["XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"]

  package init(inheriting environment: [String: String], socket: String? = nil) {
    self.socket = socket
    inherited = environment.filter { name, _ in
      !Self.ours.contains(name) && !name.hasPrefix("LAUNCH_SERVICES_")
    }
  }

  /// The environment of the daemon's own tools.
  package var ofTools: [String: String] { inherited.filter { !Self.activation.contains($0.key) } }

  package var path: String { inherited["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" }
  package var home: String { UserFolders(environment: inherited).home }

  /// The environment of a launch: inherited variables, overridden by the display of the opener, overridden
  /// by `LSEnvironment` (R1.32), overridden by the opener's variables.
  func variables(for launch: ApplicationLaunch, token: String) -> [String: String] {
    var variables = inherited
    variables.merge(launch.display) { $1 }
    variables.merge(launch.application.declaration.environment) { $1 }
    variables.merge(launch.environment.filter { Self.mayBeSet($0.key) }) { $1 }
    for name in Self.activation { variables[name] = launch.activationToken }
    variables[Contract.tokenVariable] = token
    variables[Contract.socketVariable] = socket
    variables[Contract.identifierVariable] = launch.application.identifier.text
    return variables
  }

  /// Whether the session has a display, so that the display of an opener does not count.
  package var namesDisplay: Bool { CallerVariables.namesDisplay(inherited) }

  /// Whether an opener may set the variable. Openers must not change which code runs with the application's
  /// identity.
  package static func mayBeSet(_ name: String) -> Bool {
    !name.isEmpty && !name.contains("=") && !name.hasPrefix("LD_")
      && !name.hasPrefix("LAUNCH_SERVICES_")
  }
}
