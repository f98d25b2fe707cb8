internal import ApplicationFolders
internal import BusContract
internal import Commands
internal import DaemonSettings
internal import Host
internal import LaunchRules
internal import LaunchServicesDaemon
internal import RegistryLoading

/// The configuration of the daemon: the environment, the settings file, and the command line, which overrides
/// both.
struct Configuration: Sendable {
  var environment: [String: String]
  private(set) var settings: Settings
  let settingsPath: String
  /// The problems of the settings file.
  let settingsProblems: [SettingsProblem]
  /// The reason why the setting `Launcher` is ignored.
  var launcherProblem: String?
  var folders: [ApplicationFolder]
  var stateFolder: String
  var cacheFolder: String
  /// The server that replaces every site in tests: its address and port, and the trusted certificates.
  var associationServer: (address: String, certificates: String)?
  /// The interval at which folders that cannot be watched are examined, in seconds.
  private(set) var lookInterval = DaemonOption.defaultLookInterval
  /// Whether the daemon has no session bus, so that callers connect to the socket.
  private(set) var isDirectOnly = false
  /// The path of the socket for direct connections; nil without a folder for it.
  let directSocket: String?
  var allowsUnverifiedCheckIn = false
  /// Whether the unit confines this process and its children, so that they cannot read which executables
  /// other processes run.
  private(set) var isConfined = false
  /// The socket of launchservices-processes; nil when this process can query the kernel.
  private(set) var processesSocket: String?
  /// The document to print; nil to run the daemon.
  private(set) var document: String?
  var asksForVersion = false
  var asksForHelp = false

  init(arguments: [String], environment: [String: String]) throws(CommandFailure) {
    self.environment = environment
    let user = UserFolders(environment: environment)
    directSocket = DirectSocket.path { environment[$0].flatMap { $0.isEmpty ? nil : $0 } }
    let name = "/launch-services"
    stateFolder = user.stateHome + name
    cacheFolder = user.cacheHome + name
    // Only applications of an administrator or of this project may claim reserved schemes.
    var systemFolders = user.dataDirs
    if let own = InstalledFolder.data, !systemFolders.contains(own) { systemFolders.append(own) }
    var ordinaryFolders = [user.dataHome]
    for folder in systemFolders where folder != user.dataHome { ordinaryFolders.append(folder) }
    folders = ordinaryFolders.map {
      ApplicationFolder($0 + name + "/Applications")
    }
    folders += systemFolders.map {
      ApplicationFolder($0 + "/" + ApplicationFolder.systemFolder, isSystem: true)
    }
    settingsPath = user.configHome + name + "/config.plist"
    let file = SettingsFile(path: settingsPath)
    settings = file.settings
    settingsProblems = file.problems
    for argument in try Argument<DaemonOption>.parse(arguments) {
      switch argument {
      case .operand(let operand): throw .usage("'\(operand)' is not expected")
      case .option(let option, let value): try take(option, value)
      }
    }
    if isConfined { try confine() }
    if isDirectOnly, directSocket == nil {
      throw .usage("\(DaemonOption.directOnly.name) needs an absolute path in XDG_RUNTIME_DIR")
    }
  }

  /// The part of the configuration that the daemon uses.
  var daemon: DaemonConfiguration {
    var daemon = DaemonConfiguration(
      settings: settings, environment: environment, folders: folders, stateFolder: stateFolder,
      cacheFolder: cacheFolder, directSocket: directSocket, lookInterval: lookInterval)
    daemon.processesSocket = processesSocket
    let runtimeFolder = UserFolders(environment: environment).runtimeDir
    daemon.remoteFolder = runtimeFolder.map(RemoteSocket.folder)
    daemon.controlFolder = runtimeFolder.map { "\($0)/\(SSHControlSocket.folder)" }
    daemon.associationServer = associationServer
    daemon.allowsUnverifiedCheckIn = allowsUnverifiedCheckIn
    // A daemon that the bus starts may inherit a terminal that another program uses.
    daemon.showsProgress = environment["DBUS_STARTER_BUS_TYPE"] == nil
    return daemon
  }

  private mutating func confine() throws(CommandFailure) {
    guard let socket = ProcessQuestion.socket(runtimeFolder: environment["XDG_RUNTIME_DIR"]) else {
      throw .usage("\(DaemonOption.confined.name) needs an absolute path in XDG_RUNTIME_DIR")
    }
    processesSocket = socket
    if settings.launch.launcher == .spawn {
      launcherProblem =
        "the unit confines the daemon, and would confine its child processes; see man launchservicesd for the"
        + " remedy"
    }
    settings.launch.launcher = .systemd
  }

  private mutating func take(_ option: DaemonOption, _ value: String) throws(CommandFailure) {
    switch option {
    case .applications, .systemApplications:
      guard value.hasPrefix("/") else { throw .usage("\(option.name) takes an absolute path") }
      folders.append(ApplicationFolder(value, isSystem: option == .systemApplications))
    case .collisionPolicy, .launchTimeout, .deliveryTimeout, .logLevel, .launcher,
      .fetchAssociations:
      try override(option, value)
    case .confined: isConfined = true
    case .directOnly:
      isDirectOnly = true
      settings.takesDirectConnections = true
    case .lookInterval:
      let type = DaemonOption.lookIntervalType
      guard let seconds = type.parse(value) else {
        throw notAllowed(option, value, type.allowed)
      }
      lookInterval = seconds
    case .associationServer:
      let parts = value.split(separator: ",", maxSplits: 1).map(String.init)
      guard parts.count == 2, parts[1].hasPrefix("/") else {
        throw .usage("\(option.name) takes ADDRESS:PORT,FILE with an absolute path")
      }
      associationServer = (parts[0], parts[1])
    case .allowUnverifiedCheckIn: allowsUnverifiedCheckIn = true
    case .printSettings:
      document = SettingsDocumentation.text(try format(option, value))
    case .printContract: document = ContractDocumentation.text(try format(option, value))
    case .version: asksForVersion = true
    case .help: asksForHelp = true
    }
  }

  private mutating func override(_ option: DaemonOption, _ value: String) throws(CommandFailure) {
    guard let setting = option.setting, !setting.parse(value, into: &settings) else { return }
    throw notAllowed(option, value, setting.allowed)
  }

  private func format<Format: RawRepresentable<String> & CaseIterable & Hashable & Sendable>(
    _ option: DaemonOption, _ value: String
  ) throws(CommandFailure) -> Format {
    guard let format = Format(rawValue: value) else {
      throw notAllowed(option, value, SettingType<Format>.choice.allowed)
    }
    return format
  }

  private func notAllowed(
    _ option: DaemonOption, _ value: String, _ allowed: String
  ) -> CommandFailure {
    .usage("\(option.name): '\(value.shortened)' is not allowed (\(allowed))")
  }
}
