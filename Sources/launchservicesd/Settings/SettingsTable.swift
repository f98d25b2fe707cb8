internal import Host
internal import LaunchRules
internal import LaunchServicesDaemon

/// Every setting: its key, type, range, field of `Settings` (whose initial value is the default) and
/// help text. The settings file, options, warnings, `--help` and the manual are made from it.
nonisolated enum SettingsTable {
  // Options of the command line override these.

  static let launcher = Setting(
    "Launcher", .choice, \.launch.launcher, "how applications are started",
    note: "With `automatic` they are units of systemd where the user has a service manager, and"
      + " processes of the daemon elsewhere; `systemd` starts units only, `spawn` processes only.")
  static let launchTimeout = Setting(
    "LaunchTimeout", .seconds, \.launch.timeout,
    "time from the start of an application until it has finished launching")
  static let deliveryTimeout = Setting(
    "DeliveryTimeout", .seconds, \.delivery.timeout, "time a handler may take to answer a URL")
  static let collisionPolicy = Setting(
    "CollisionPolicy", .choice, \.registry.collisionPolicyName,
    "which application gets a scheme that several claim alike")
  static let fetchAssociations = Setting(
    "FetchAssociations", .boolean, \.associations.fetches, "ask sites for their association files")
  static let logLevel = Setting(
    "LogLevel", .choice, \.log.level, "the least important lines that the log has")

  /// The keys of the settings file, in the order of the manual.
  static let file = SettingGroup(
    key: "",
    members: [
      launchTimeout, deliveryTimeout, collisionPolicy,
      Setting(
        "CollisionSeed", .seed, \.registry.collisionSeed,
        "with the policy `seeded-random`: another number gives another order"),
      Setting(
        "CompletionSemantics", .choice, \.delivery.completion, "when an open is answered",
        note:
          "With `delivered` that is when the application has acknowledged the URL; with `invoked`,"
          + " as on Apple's systems, when the application was invoked."),
      Setting(
        "SystemSchemeForm", .choice, \.delivery.systemSchemeForm,
        "in which form URLs of `mailto`, `tel`, `telprompt`, `facetime`, `facetime-audio` and `sms` are"
          + " handed on",
        note: "With `checked` that is without what their formats do not allow, and a URL with which"
          + " nothing would be done is refused; with `verbatim` it is byte for byte, and only a number"
          + " that must not be dialled is refused."),
      Setting("MaximumURLLength", .bytes, \.opens.maximumURLLength, "length of a URL"),
      Setting(
        "MaximumQueueLength", .wholeNumber(of: "opens"), \.opens.maximumQueueLength,
        "opens that may wait for one application",
        note: "Those of one caller may be three quarters of them."),
      Setting(
        "MaximumOpensPerCaller", .wholeNumber(of: "opens"), \.opens.maximumOpensPerCaller,
        "opens of one caller that may be under way",
        note: "A caller is an application, else a process."),
      Setting(
        "MaximumPendingBytes", .wholeNumber(of: "bytes", in: 1...1_000_000_000_000),
        \.opens.maximumPendingBytes,
        "memory that all opens under way may take together",
        note:
          "Those of one caller may take a quarter of it, and those for one application three eighths."
          + " Those of one unit, or of processes that descend from one, may take half of it together."
          + " The last quarter is for callers with little under way."),
      Setting(
        "MaximumLaunches", .wholeNumber(of: "processes"), \.launch.maximumLaunches,
        "processes that are launched at once",
        note: "Those of one application may be a quarter of them; others wait their turn."),
      Setting(
        "MaximumInstances", .wholeNumber(of: "processes"), \.launch.maximumInstances,
        "processes of one application that may run",
        note: "As many may run that one caller has had started with `new-instance`."),
      Setting(
        "MaximumRegistrations", .wholeNumber(of: "applications"), \.registry.maximumRegistrations,
        "applications that `lsregister add` may add"),
      launcher,
      Setting(
        "CheckInGrace", .seconds, \.launch.checkInGrace,
        "time that an application which ran before the daemon has to check in again"),
      Setting(
        "SuspendAfter", .seconds(or: "never"), \.launch.suspendAfter,
        "time in the background after which an application is suspended",
        note: "An application that the daemon started is stopped, with its process group, until"
          + " something is delivered to it; one with `UIApplicationExitsOnSuspend` is ended instead."
      ),
      Setting(
        "RecordLimit", .wholeNumber(of: "requests"), \.record.limit,
        "requests that the record keeps",
        note: "That is what `lsopen --history` shows, and how long a `request-id` is remembered."
          + " Requests with a `request-id` and those without are counted apart. Each caller has a"
          + " share: callers that have most lose their oldest first, and a request with a `request-id`"
          + " is kept for a minute in any case, up to four times the number. For a while there may be"
          + " a tenth more. Requests under way are always kept."),
      Setting(
        "RecordAge", .seconds, \.record.age, "time for which the record keeps requests",
        note: "The newest 1,000 with a `request-id` are kept for longer, as clocks may be wrong."),
      Setting(
        "RecordFullURLs", .boolean, \.record.keepsFullURLs,
        "record the query and fragment of URLs, too, which may hold secrets"),
      confirmations,
      Setting(
        "ConfirmationTimeout", .seconds, \.confirmations.timeout, "time the user has to answer"),
      Setting(
        "Browsers", .strings(default: "a list of known browsers"),
        \.confirmations.webOrigin.browsers, "file names of the executables of browsers"),
      Setting(
        "DirectConnections", .boolean, \.takesDirectConnections,
        "accept connections on the socket, with no bus between",
        note:
          "There may be 192 of them, and 32 of one process; where all places are taken, an idle connection of the process"
          + " that has the most makes place for another process. Other connections go over the bus."
      ),
      fetchAssociations,
      Setting(
        "DeveloperLinks", .boolean, \.associations.allowsDeveloperLinks,
        "associated domains with `mode=developer` count",
        note: "Those with `mode=managed` never do."),
      logLevel,
      Setting(
        "LogRate", .wholeNumber(of: "lines"), \.log.rate, "lines of the log in one second",
        note: "More are counted, not written."),
    ],
    help: "the settings")

  /// One key for each row of the table that decides.
  static let confirmations = SettingGroup(
    key: "Confirmations",
    members: ConfirmationTable.rows.map { row in
      Setting(row.name, .boolean, \.confirmations.table[row], row.situation)
    },
    help: "in which situations the user is asked before an open")
}
