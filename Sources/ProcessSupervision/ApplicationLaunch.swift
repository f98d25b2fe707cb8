package import DBus
package import LaunchRules

/// The parameters of a new process of an application.
package nonisolated struct ApplicationLaunch {
  package var application: InstalledApplication
  /// The open that needs the process.
  package var reason: OpenRequest?
  /// Additional arguments, after those of the property list.
  package var arguments: [String] = []
  /// Environment variables from the opener.
  package var environment: [String: String] = [:]
  /// The variables that name the display of the opener. Used when the daemon's environment names no display, as when
  /// the daemon was started before the desktop.
  package var display: [String: String] = [:]
  package var activationToken: String?
  /// Nil for an empty input, and for the output streams of the daemon.
  package var standardInput: OwnedDescriptor?
  package var standardOutput: OwnedDescriptor?
  package var standardError: OwnedDescriptor?
  /// The fields of log entries about the open.
  package var logSubject: [String: String] = [:]

  package init(_ application: InstalledApplication, reason: OpenRequest? = nil) {
    self.application = application
    self.reason = reason
  }
}
