package import DBus
package import LaunchRules

/// What a new process of an application is started with.
package nonisolated struct ApplicationLaunch {
  package var application: InstalledApplication
  /// The open that it is started for.
  package var reason: OpenRequest?
  /// After the arguments that the property list sets.
  package var arguments: [String] = []
  /// The opener's variables.
  package var environment: [String: String] = [:]
  package var activationToken: String?
  /// Nil for nothing to read, and for the daemon's own streams to write to.
  package var standardInput: OwnedDescriptor?
  package var standardOutput: OwnedDescriptor?
  package var standardError: OwnedDescriptor?
  /// The fields that log entries about the open have.
  package var logSubject: [String: String] = [:]

  package init(_ application: InstalledApplication, reason: OpenRequest? = nil) {
    self.application = application
    self.reason = reason
  }
}
