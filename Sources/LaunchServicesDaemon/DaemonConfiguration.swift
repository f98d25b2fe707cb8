package import ApplicationFolders
package import DaemonSettings
package import LaunchRules

/// The configuration of the daemon, from the settings, the environment and the command line.
package struct DaemonConfiguration: Sendable {
  package var settings: Settings
  package var environment: [String: String]
  package var folders: [ApplicationFolder]
  package var stateFolder: String
  package var cacheFolder: String
  /// Path of the socket for direct connections; nil without a folder for it.
  package var directSocket: String?
  /// The folder for the sockets of remotes; nil without a runtime folder of the session.
  package var remoteFolder: String?
  /// The folder with the control sockets of `lsopen ssh`; nil without a runtime folder of the session.
  package var controlFolder: String?
  /// Delays before a removed socket is created again.
  package var socketRepair = RepairPace()
  /// Path of the socket of the process lookup service; nil when the daemon reads process information from the
  /// kernel.
  package var processesSocket: String?
  /// Polling interval for folders that cannot be watched, in seconds.
  package var lookInterval: Int
  /// A server that replaces every site, for tests: its address and port, and the trusted certificates.
  package var associationServer: (address: String, certificates: String)?
  package var allowsUnverifiedCheckIn = false
  /// Whether to show the progress of reading property lists to the user.
  package var showsProgress = true

  package init(
    settings: Settings, environment: [String: String], folders: [ApplicationFolder],
    stateFolder: String, cacheFolder: String, directSocket: String?, lookInterval: Int
  ) {
    self.settings = settings
    self.environment = environment
    self.folders = folders
    self.stateFolder = stateFolder
    self.cacheFolder = cacheFolder
    self.directSocket = directSocket
    self.lookInterval = lookInterval
  }
}
