package import ApplicationFolders
package import LaunchRules

/// What the daemon is started with: the settings, and what the environment and the command line say.
package struct DaemonConfiguration: Sendable {
  package var settings: Settings
  package var environment: [String: String]
  package var folders: [ApplicationFolder]
  package var stateFolder: String
  package var cacheFolder: String
  /// The path of the socket for direct connections; nil where there is no folder for it.
  package var directSocket: String?
  /// How soon that socket is made again when another process has removed it.
  package var socketRepair = RepairPace()
  /// Where to ask about processes; nil where the kernel answers.
  package var processesSocket: String?
  /// How often folders that cannot be watched are looked at, in seconds.
  package var lookInterval: Int
  /// Instead of every site, for tests: its address and port, and the certificates that are believed.
  package var associationServer: (address: String, certificates: String)?
  package var allowsUnverifiedCheckIn = false
  /// A user sees how far the reading of property lists is.
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
