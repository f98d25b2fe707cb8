package import Host
package import LaunchRules

/// Every setting: its key, type, range, field of `Settings` (whose initial value is the default) and
/// help text. The settings file, options, warnings, `--help` and the manual are made from it.
package enum SettingsTable {
  // Options of the command line override these.

  package static let launcher = Setting(
    "Launcher", .choice, \.launch.launcher, "the method that starts applications",
    note: "With `automatic`, applications are started as systemd units if the user has a service"
      + " manager, otherwise as child processes of the daemon. `systemd` always uses units,"
      + " `spawn` always uses child processes.")
  package static let launchTimeout = Setting(
    "LaunchTimeout", .seconds, \.launch.timeout,
    "maximum time for an application to finish launching")
  package static let deliveryTimeout = Setting(
    "DeliveryTimeout", .seconds, \.delivery.timeout,
    "maximum time for a handler to answer a delivery")
  package static let collisionPolicy = Setting(
    "CollisionPolicy", .choice, \.registry.collisionPolicyName,
    "rule that selects the handler when several applications have equal claims on a scheme")
  package static let fetchAssociations = Setting(
    "FetchAssociations", .boolean, \.associations.fetches, "fetch association files from web sites")
  package static let logLevel = Setting(
    "LogLevel", .choice, \.log.level, "lowest level of messages in the log")

  /// The keys of the settings file, in the order of the manual.
  package static let file = SettingGroup(
    key: "",
    members: [
      launchTimeout, deliveryTimeout, collisionPolicy,
      Setting(
        "CollisionSeed", .seed, \.registry.collisionSeed,
        "seed of the order of applications under the collision policy `seeded-random`"),
      Setting(
        "CompletionSemantics", .choice, \.delivery.completion,
        "event after which an open is answered",
        note:
          "With `delivered`, the daemon answers after the application has acknowledged the URL;"
          + " with `invoked`, as on Apple's systems, after the application was invoked."),
      Setting(
        "SystemSchemeForm", .choice, \.delivery.systemSchemeForm,
        "form in which the daemon delivers URLs of `mailto`, `tel`, `telprompt`, `facetime`,"
          + " `facetime-audio` and `sms`",
        note: "With `checked`, the daemon removes parts that the format does not allow, and"
          + " refuses a URL that would have no effect. With `verbatim`, the daemon delivers the"
          + " URL unchanged, and refuses only a number that must not be dialled, or that is too"
          + " long for the question to the user."),
      Setting("MaximumURLLength", .bytes, \.opens.maximumURLLength, "maximum length of a URL"),
      Setting(
        "MaximumQueueLength", .wholeNumber(of: "opens"), \.opens.maximumQueueLength,
        "maximum number of opens that wait for one application",
        note:
          "One caller may use three quarters of this number. The opens of one unit, or of all"
          + " processes that descend from one process, may use seven eighths, and leave a place to the"
          + " programs beside them."),
      Setting(
        "MaximumOpensPerCaller", .wholeNumber(of: "opens"), \.opens.maximumOpensPerCaller,
        "maximum number of pending opens of one caller",
        note: "A caller is an application, or a process that belongs to no application."),
      Setting(
        "MaximumPendingBytes", .wholeNumber(of: "bytes", in: 1...1_000_000_000_000),
        \.opens.maximumPendingBytes,
        "maximum memory of all pending opens together",
        note:
          "The opens of one caller may use a quarter of this memory, and the opens for one"
          + " application three eighths. The opens of one unit, or of all processes that"
          + " descend from one process, may use three quarters of this memory, and leave a part"
          + " to the programs beside them. All processes whose parents have ended may use a quarter."
          + " Besides, the calls that wait for their turn may use half of this memory, and those of one"
          + " caller a quarter."
      ),
      Setting(
        "MaximumRemoteOpens", .wholeNumber(of: "opens"), \.opens.maximumRemoteOpens,
        "maximum number of opens that one remote may request within a minute",
        note:
          "A remote is another machine or a container; see `lsregister remote`. Containers and forwarded connections on"
          + " the sockets of the user have this number together."),
      Setting(
        "MaximumLaunches", .wholeNumber(of: "processes"), \.launch.maximumLaunches,
        "maximum number of processes that launch at the same time",
        note:
          "One application may use a quarter of this number; further launches wait. A process counts"
          + " for at most 2 seconds."),
      Setting(
        "MaximumInstances", .wholeNumber(of: "processes"), \.launch.maximumInstances,
        "maximum number of running processes of one application",
        note:
          "The same limit applies to the processes that one caller has started with `new-instance`."
          + " The callers of one unit, or all processes that descend from one process, may start 64 more."
      ),
      Setting(
        "MaximumRegistrations", .wholeNumber(of: "applications"), \.registry.maximumRegistrations,
        "maximum number of applications that `lsregister add` registers"),
      launcher,
      Setting(
        "CheckInGrace", .seconds, \.launch.checkInGrace,
        "time for an application that was running before the daemon started to check in again"),
      Setting(
        "SuspendAfter", .seconds(or: "never"), \.launch.suspendAfter,
        "time in the background after which the daemon suspends an application",
        note: "The daemon stops the process group of an application that the daemon started,"
          + " until the next delivery to the application. An application with"
          + " `UIApplicationExitsOnSuspend` is ended instead."
      ),
      Setting(
        "RecordLimit", .wholeNumber(of: "requests"), \.record.limit,
        "number of requests that the record keeps",
        note: "`lsopen --history` shows the record, and the daemon recognises a repeated"
          + " `request-id` as long as the record contains the request. Requests with a"
          + " `request-id` and requests without one are counted separately. When the record is"
          + " full, the oldest requests of the callers with the most requests are removed first."
          + " A request with a `request-id` is kept for at least one minute, up to four times"
          + " this number. The record may temporarily exceed the number by a tenth. Pending"
          + " requests are always kept."),
      Setting(
        "RecordAge", .seconds, \.record.age, "maximum age of requests in the record",
        note: "The newest 1,000 requests with a `request-id` are kept longer, because clocks may"
          + " be wrong."),
      Setting(
        "RecordFullURLs", .boolean, \.record.keepsFullURLs,
        "store the query and fragment of URLs, which may contain secrets, in the record"),
      Setting(
        "CallsFrom", .text(or: "none", longest: 255), \.devices.callsFrom,
        "name or identifier of the device that makes calls, as `lsregister devices` prints it",
        note:
          "URLs with the scheme `tel` or `sms` that a shell or an application of macOS opens go to"
          + " this device, as with Handoff, also if no application for calls is installed. An"
          + " application that you choose with `lsregister default tel ID` goes first."),
      confirmations,
      Setting(
        "ConfirmationTimeout", .seconds, \.confirmations.timeout,
        "time for the user to answer a"
          + " confirmation"),
      Setting(
        "Browsers", .strings(default: "a list of known browsers"),
        \.confirmations.webOrigin.browsers, "names of the executables of browsers"),
      Setting(
        "DirectConnections", .boolean, \.takesDirectConnections,
        "accept direct connections on the socket of the daemon",
        note:
          "The limits are 192 connections, and 32 connections of one process. When the limit is"
          + " reached, the"
          + " daemon closes an idle connection of the process with the most connections to make room for"
          + " another process. A client without a direct connection uses the bus."
      ),
      fetchAssociations,
      Setting(
        "DeveloperLinks", .boolean, \.associations.allowsDeveloperLinks,
        "accept associated domains with `mode=developer`",
        note: "Associated domains with `mode=managed` are never accepted."),
      logLevel,
      Setting(
        "LogRate", .wholeNumber(of: "lines"), \.log.rate, "maximum number of log lines per second",
        note: "Further lines are counted and not written."),
    ],
    help: "the settings")

  /// One key for each row of the confirmation table.
  package static let confirmations = SettingGroup(
    key: "Confirmations",
    members: ConfirmationTable.rows.map { row in
      Setting(row.name, .boolean, \.confirmations.table[row], row.situation)
    },
    help: "situations in which the user must confirm an open")
}
