internal import Commands

/// The options of the daemon's command line.
enum DaemonOption: CommandOption {
  case applications, systemApplications, collisionPolicy, launchTimeout, deliveryTimeout, logLevel
  case launcher, confined, directOnly, lookInterval, fetchAssociations, associationServer,
    allowUnverifiedCheckIn
  case version, help

  var spelling: OptionSpelling {
    switch self {
    case .applications:
      OptionSpelling(
        "applications", .one("FOLDER"),
        help: "look for applications here too; repeatable, absolute")
    case .systemApplications:
      OptionSpelling(
        "system-applications", .one("FOLDER"),
        help: "the same, for applications that may claim reserved schemes")
    case .collisionPolicy:
      OptionSpelling(
        "collision-policy", .one("POLICY"),
        help: "last-installed, first-installed, ambiguous-is-error or seeded-random")
    case .launchTimeout:
      OptionSpelling(
        "launch-timeout", .one("SECONDS"), help: "how long a launch may take; 20 unless set")
    case .deliveryTimeout:
      OptionSpelling(
        "delivery-timeout", .one("SECONDS"),
        help: "how long a handler may take to answer a URL; 20 unless set")
    case .logLevel:
      OptionSpelling("log-level", .one("LEVEL"), help: "error, warning, notice, info or debug")
    case .launcher:
      OptionSpelling(
        "launcher", .one("LAUNCHER"),
        help: "automatic, systemd or spawn: how applications are started")
    case .confined:
      OptionSpelling(
        "confined",
        help: "start applications by systemd only, and ask launchservices-processes about callers")
    case .directOnly:
      OptionSpelling(
        "direct-only",
        help: "answer questions on the socket only, with no session bus; opens need one")
    case .lookInterval:
      OptionSpelling(
        "look-interval", .one("SECONDS"),
        help: "how often folders that cannot be watched are looked at; 60 unless set")
    case .fetchAssociations:
      OptionSpelling(
        "fetch-associations", .one("YES|NO"), help: "ask sites for their association files")
    case .associationServer:
      OptionSpelling(
        "association-server", .one("ADDRESS:PORT,FILE"),
        help: "ask there instead, and believe the certificates of FILE; only for tests")
    case .allowUnverifiedCheckIn:
      OptionSpelling(
        "allow-unverified-check-in", help: "believe any check-in; only for tests")
    case .version: OptionSpelling("version", help: "print the version and end")
    case .help: OptionSpelling("help", short: "h", help: "print this and end")
    }
  }
}
