internal import Commands
internal import DaemonSettings
internal import LaunchServicesDaemon

/// The options of the daemon's command line.
enum DaemonOption: CommandOption {
  case applications, systemApplications, collisionPolicy, launchTimeout, deliveryTimeout, logLevel
  case launcher, confined, directOnly, lookInterval, fetchAssociations, associationServer,
    allowUnverifiedCheckIn
  case printSettings, printContract, version, help

  var spelling: OptionSpelling {
    switch self {
    case .applications:
      OptionSpelling(
        "applications", .one("FOLDER"),
        help: "also read the applications in FOLDER, an absolute path; may be repeated")
    case .systemApplications:
      OptionSpelling(
        "system-applications", .one("FOLDER"),
        help: "like --applications, for applications that may claim reserved schemes")
    case .collisionPolicy: overriding("collision-policy", "POLICY")
    case .launchTimeout: overriding("launch-timeout", "SECONDS")
    case .deliveryTimeout: overriding("delivery-timeout", "SECONDS")
    case .logLevel: overriding("log-level", "LEVEL")
    case .launcher: overriding("launcher", "LAUNCHER")
    case .confined:
      OptionSpelling(
        "confined",
        help: "start applications only with systemd, and query launchservices-processes for callers"
      )
    case .directOnly:
      OptionSpelling(
        "direct-only",
        help:
          "work on the socket, without a session bus: for queries, and for handlers that check in there"
      )
    case .lookInterval:
      OptionSpelling(
        "look-interval", .one("SECONDS"),
        help: "interval of the checks of folders that cannot be watched"
          + " (\(Self.lookIntervalType.allowed); default \(Self.defaultLookInterval))")
    case .fetchAssociations: overriding("fetch-associations", "BOOLEAN")
    case .associationServer:
      OptionSpelling(
        "association-server", .one("ADDRESS:PORT,FILE"),
        help:
          "fetch association files from ADDRESS, and trust the certificates in FILE; only for tests"
      )
    case .allowUnverifiedCheckIn:
      OptionSpelling(
        "allow-unverified-check-in", help: "accept every check-in without proof; only for tests")
    case .printSettings:
      OptionSpelling(
        "print-settings", .one("FORMAT"),
        help: "print the documentation of the settings (roff or markdown) and end", isHidden: true)
    case .printContract:
      OptionSpelling(
        "print-contract", .one("FORMAT"),
        help: "print the documentation of the D-Bus interfaces (roff, markdown or xml) and end",
        isHidden: true)
    case .version: OptionSpelling("version", help: "print the version and end")
    case .help: OptionSpelling("help", short: "h", help: "print this help text and end")
    }
  }

  static let defaultLookInterval = 60
  static let lookIntervalType = SettingType.wholeNumber(of: "seconds", in: 1...1_000_000)

  /// The setting that the option overrides.
  var setting: (any SettingDescription)? {
    switch self {
    case .collisionPolicy: SettingsTable.collisionPolicy
    case .launchTimeout: SettingsTable.launchTimeout
    case .deliveryTimeout: SettingsTable.deliveryTimeout
    case .logLevel: SettingsTable.logLevel
    case .launcher: SettingsTable.launcher
    case .fetchAssociations: SettingsTable.fetchAssociations
    case .applications, .systemApplications, .confined, .directOnly, .lookInterval,
      .associationServer, .allowUnverifiedCheckIn, .printSettings, .printContract, .version, .help:
      nil
    }
  }

  /// An option with the help text of its setting.
  private func overriding(_ long: String, _ value: String) -> OptionSpelling {
    OptionSpelling(
      long, .one(value), help: setting.map { SettingsDocumentation.optionHelp($0) } ?? "")
  }
}
