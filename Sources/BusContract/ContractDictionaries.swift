internal import DBus
internal import LaunchRules

// The dictionaries that the service sends. The dictionaries that the service reads are described where they are read.

extension InterfaceDescription.Argument {
  /// Options for later versions: the service reads no key.
  static let noOptions = Self(
    "options", "a{sv}", "No options are defined yet.", DictionaryDescription([]))

  static let receipt = Self("receipt", "a{sv}", "The result.", Receipt.description)

  static let handled = Self("handled", "b", "Whether the application handled it.")

  static let scheme = Self("scheme", "s", "The scheme, without a colon.")

  /// The user's choice.
  static let chosenHandler = Self(
    "bundle_id", "s", "The identifier of the application; empty to remove the choice.")
}

extension [InterfaceDescription.Argument] {
  /// Applications, and why each has its position.
  static let handlersWithReasons = [
    Element("bundle_ids", "as", "The identifiers of the applications, best first."),
    Element("reasons", "as", "For each application the reason for its position."),
  ]
}

// MARK: - Workspace1

extension Contract {
  static let explanation = DictionaryDescription([
    .init(
      "steps", "a(ss)", "The steps of the decision in order: the name of the step, and a sentence."),
    .init("can-open", "b", "The reply of CanOpenURL."),
    .init(
      Key.canOpenCode, "s",
      "Why the reply of CanOpenURL is false: "
        + CanOpenCode.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        + "; missing if it is true."),
    .init(
      "would-open", "b",
      """
      Whether OpenURL would open the URL; false also for a caller that may not know whether an application handles \
      the scheme.
      """),
    .init(
      Key.handler, "s",
      "The identifier of the application, or `device:` and the name of the device, that would receive the URL, or empty."
    ),
    .init(
      Key.caller, "s",
      "The identifier of the application for which the decision was made; empty for a caller that is none."
    ),
  ])

  static let exit = DictionaryDescription([
    .init(Key.how, "s", "How the process ended, for example `exited with code 0`.")
  ])

  static let processIdentity = DictionaryDescription(
    "Identity of a process",
    [
      .init(
        Key.bundleIdentifier, "s",
        "The application; missing for a program of the user that belongs to no application."),
      .init(
        Key.origin, "s",
        "The kind of file that declares the application: `property-list` or `desktop-entry`; missing if the application"
          + " was unregistered."),
      .init(
        Key.identification, "s",
        "How the application was identified: "
          + Identification.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."),
      .init(
        Key.descendsFromApplication, "b",
        "True if the process descends from an application that cannot be determined."),
    ])

  static let requestRecord = DictionaryDescription(
    "Recorded request",
    [
      .init(Key.request, "t", "The number of the request."),
      .init(
        Key.time, "t", "The time at which the service received it, in microseconds since 1970."),
      .init(
        Key.caller, "s",
        """
        The opener: the identifier of an application, `remote:` and a name, or the path of a program. `container:` or \
        `forwarded:` stands before the path of a program that is no program of the user's session.
        """),
      .init(
        Key.url, "s",
        """
        The URL, without query and fragment unless the setting `RecordFullURLs` keeps them; of an open \
        without a URL the identifier of the application, and of a quick action also its type.
        """),
      .init(
        Key.fate, "s",
        """
        The result: a `delivery` of a receipt, or the name of an error. `accepted` and `delivering`: \
        the request has no result yet. `\(Fate.cutOff)`: the service ended before the request had a \
        result, and no caller has repeated the request.
        """),
      .init(
        Key.handler, "s",
        """
        The identifier of the application, or `device:` and the name of the device, if one was chosen. A caller that is an iOS application \
        receives neither this key nor the following keys.
        """),
      .init(Key.launch, "s", "`cold` or `warm`, if the request was delivered."),
      .init(Key.handled, "b", "Whether the application handled the request."),
      .init(Key.pid, "u", "The process of the application; 0 if there is none."),
      Receipt.trailEntry,
      .init(Key.detail, "s", "The text of the error, if the request failed."),
    ])
}

// MARK: - Launch1 and Application1

extension Contract {
  private static let sourceEntry = DictionaryDescription.Entry(
    Key.sourceApplication, "s",
    "The identifier of the opener, if the opener is an application of the same team.")
  private static let hiddenEntry = DictionaryDescription.Entry(
    Key.hidden, "b", "True if the application is to start hidden.")
  private static let freshEntry = DictionaryDescription.Entry(
    Key.fresh, "b", "True if the application is not to restore its last state.")
  private static let launchEntries: [DictionaryDescription.Entry] = [
    sourceEntry,
    .init(
      Key.shortcutItem, "s",
      "The type of the quick action, if a quick action started the application."),
    .init(
      Key.shortcutItemDetails, "a{sv}", "The details of that quick action.",
      QuickAction.detailsDescription),
    .init(Key.launchImage, "s", "The absolute path of the launch image, if there is one."),
    hiddenEntry, freshEntry,
  ]

  static let checkInAnswer = DictionaryDescription([
    .init(
      Key.launchOptions, "a{sv}",
      """
      What the application was started for. The delivery follows in a call of Application1.
      """,
      DictionaryDescription(
        [
          .init(Key.url, "s", "The URL, or the URL of the first document."),
          .init(Key.documents, "as", "The URLs of all documents."),
          .init(
            Key.userActivityType, "s",
            "`\(browsingWeb)`, if a universal link started the application."),
          .init(Key.webpageURL, "s", "The universal link."),
        ], launchEntries, [annotationEntry, inPlaceEntry], requestEntries)),
    .init(
      Key.connectionOptions, "a{sv}",
      """
      With the option `scenes` and a scene manifest in the property list, instead of \
      `launch-options`: the delivery itself. No call follows.
      """,
      DictionaryDescription(
        [
          .init(
            Key.urlContexts, "a(sa{sv})", "The URLs, each with its options.", deliveryOptions),
          .init(
            Key.userActivities, "a(sa{sv})",
            "The universal link: the type, and the activity of ContinueUserActivity.", activity),
          .init(
            Key.request, "t",
            "The number of the request for a quick action, if the opener has named the request."),
          .init(
            Key.repeated, "b",
            "For a quick action: true if the service may have delivered the request before."),
        ], launchEntries)),
    .init(
      Key.shortcutItems, "aa{sv}",
      "The dynamic quick actions of the application, if the application has any.",
      QuickAction.entry),
  ])

  static let launchAnswers = DictionaryDescription([
    .init(
      Key.will, "b",
      "The result of `willFinishLaunching`; absent if the application does not implement the method."
    ),
    .init(
      Key.did, "b",
      "The result of `didFinishLaunching`; absent if the application does not implement the method."
    ),
  ])

  static let programFailure = DictionaryDescription([
    .init(Key.exitStatus, "u", "The exit status of the program, from 1 to 255."),
    .init(
      Key.signal, "u", "The signal that ended the program, from 1 to 64; in place of `exit-status`."
    ),
  ])

  private static let annotationEntry = DictionaryDescription.Entry(
    Key.annotation, "v", "The annotation of the opener, if the opener has passed one.")
  private static let requestEntries: [DictionaryDescription.Entry] = [
    .init(
      Key.request, "t",
      "The number of the request, if the opener has named the request with `request-id`."),
    .init(
      Key.repeated, "b",
      "True if the service may have delivered the request before the service was restarted."),
  ]
  private static let inPlaceEntry = DictionaryDescription.Entry(
    Key.openInPlace, "b",
    "For a document: true if the application may change the file in its place.")
  private static let tokenEntry = DictionaryDescription.Entry(
    Key.activationToken, "s",
    "The activation token of the desktop, if the opener has passed one.")

  /// What every call has that delivers something.
  private static let callEntries =
    [sourceEntry, annotationEntry, tokenEntry] + requestEntries

  static let deliveryOptions = DictionaryDescription(
    "Options of a delivery", callEntries,
    [
      inPlaceEntry,
      .init(
        Key.descriptor, "h",
        """
        For a document: the file, open for reading. Present in a sandbox, and after a check-in with \
        the option `documents`.
        """),
      .init(
        Key.hops, "s",
        """
        For the desktop bridge only, after the first pass: the scheme, how often the bridge has passed a URL of this \
        scheme on in a row, and how often a URL of any scheme.
        """),
      .init(
        Key.environment, "a{ss}",
        "For the desktop bridge only: the environment variables that the opener has chosen."),
    ])

  static let activity = DictionaryDescription(
    "User activity", [.init(Key.webpageURL, "s", "The universal link.")], callEntries)

  static let quickActionDelivery = DictionaryDescription(
    QuickAction.detailsDescription.entries, callEntries)

  static let reopening = DictionaryDescription(callEntries)
}

// MARK: - Registry1

extension Contract {
  private static let tags: [DictionaryDescription.Entry] = [
    .init("extensions", "as", "The extensions of file names."),
    .init("mime-types", "as", "The MIME types."),
    .init("os-types", "as", "The OSTypes."),
  ]

  private static let roleAndRank: [DictionaryDescription.Entry] = [
    .init("role", "s", "The role: `Editor`, `Viewer`, `Shell`, `QLGenerator` or `None`."),
    .init("rank", "s", "The rank: `Owner`, `Default`, `Alternate` or `None`."),
  ]

  private static let urlType = DictionaryDescription(
    [.init(Key.name, "s", "The name of the URL type, if the URL type has one.")], roleAndRank,
    [
      .init("schemes", "as", "The schemes."),
      .init(Key.icon, "s", "The name of the icon file, if the URL type has one."),
    ])

  private static let documentType = DictionaryDescription(
    [.init(Key.name, "s", "The name of the document type, if the document type has one.")],
    roleAndRank, [.init("content-types", "as", "The types of documents.")], tags,
    [.init("package", "b", "True if the documents are folders that look like files.")])

  private static let declaredType = DictionaryDescription(
    "Declared type",
    [
      .init(Key.type, "s", "The identifier of the type."),
      .init(Key.description, "s", "The description, if the type has one."),
      .init(Key.conformsTo, "as", "The types that the type conforms to."),
    ], tags)

  static let installedApplication = DictionaryDescription(
    "Application",
    [
      .init(Key.bundleIdentifier, "s", "The identifier."),
      .init(Key.name, "s", "The name."),
      .init("display-name", "s", "The display name, if the property list has one."),
      .init("version", "s", "The version."),
      .init(Key.path, "s", "The path of the property list."),
      .init(
        Key.bundle, "s",
        "The path of the bundle; for a property list without a bundle that of the property list."),
      .init(
        "executable", "s", "The executable, or the program with its arguments, if there is one."),
      .init("system", "b", "Whether it is a system application."),
      .init("platform", "s", "The platform: `iOS` or `macOS`."),
      .init("linked-sdk", "s", "The version of the SDK with which the application was linked."),
      .init("team", "s", "The identifier of the team, if it is known."),
      .init("entitlements", "as", "The entitlements that the service knows."),
      .init(Key.icon, "s", "The name of the icon file, if the application has one."),
      .init(Key.activationPolicy, "s", "`regular`, `accessory` or `prohibited`."),
      .init("scene", "b", "Whether the application has a scene manifest."),
      .init(
        "state", "s",
        """
        The state of the process as in RunningApplications, or `not running`. `unknown` for an \
        application of the desktop that got no URL from the service, or whose process has ended since.
        """),
      .init(Key.pid, "u", "The process; 0 if the application does not run."),
      .init("schemes", "as", "The schemes of all URL types."),
      .init("url-names", "as", "The names of the URL types."),
      .init(Key.urlTypes, "aa{sv}", "The URL types.", urlType),
      .init("queries-schemes", "as", "The schemes that the application declares to query."),
      .init(
        Key.shortcutItems, "a(ss)", "The quick actions that menus show: the type and the title."),
      .init("document-types", "aa{sv}", "The document types, if there are any.", documentType),
      .init("exported-types", "aa{sv}", "The exported types, if there are any.", declaredType),
      .init("imported-types", "aa{sv}", "The imported types, if there are any.", declaredType),
      .init("chosen-for-types", "as", "The types for which the user chose the application."),
      .init("chosen-for-files", "as", "The URLs of the files for which the user chose it."),
      .init("associated-domains", "as", "The associated domains."),
      .init(
        Key.userActivityTypes, "as",
        "The types of user activities (`NSUserActivityTypes`), if the application declares any."),
      .init(
        "web-hosts", "as",
        "For a system application: the hosts of web URLs that open in it instead of the browser."),
      .init(
        Key.desktopBridge, "b", "True if the desktop bridge stands for a desktop application."),
      .init(
        Key.handOver, "as",
        "The protocol in which the running application takes URLs, and its place, if the property list names"
          + " one."),
      .init(
        Key.origin, "s",
        "The kind of file that declares it: property-list, or desktop-entry for an application of the"
          + " desktop, whose path is that of the desktop entry."),
      .init("diagnostics", "as", "The problems of the property list."),
    ])

  static let runningApplication = DictionaryDescription(
    "Running application",
    [
      .init(Key.bundleIdentifier, "s", "The identifier."),
      .init(Key.name, "s", "The name."),
      .init(
        Key.bundle, "s",
        "The path of the bundle; for a property list without a bundle that of the property list."),
      .init(Key.activationPolicy, "s", "`regular`, `accessory` or `prohibited`."),
      .init(
        "state", "s",
        """
        `launching`, `inactive`, `active`, `background`, `suspended`, `ending` or `returning`. A \
        process in the state `returning` ran before the service started, and has not checked in again. \
        `running` for an application of the desktop, whose process is the one that got a URL last.
        """),
      .init("queued", "u", "The number of requests that wait for the application."),
      .init(Key.pid, "u", "The process."),
      .init(
        Key.since, "t", "The time at which the process started, in microseconds since 1970."),
      .init("unit", "s", "The systemd unit, if the process has one."),
    ])

  static let buildOptions = DictionaryDescription([
    .init(
      Key.define, "a{ss}",
      "The values of build variables in the property list. `DEVELOPMENT_TEAM`, `PLATFORM_NAME` and "
        + "`SDK_NAME` give the team, the platform and the SDK of the application; "
        + "`CODE_SIGN_ENTITLEMENTS` names the file of its entitlements.")
  ])

  static let lintDiagnostic = DictionaryDescription([
    .init("severity", "s", "`note`, `warning` or `error`. An error prevents a registration."),
    .init("file", "s", "The path of the property list."),
    .init("key-path", "s", "The key with the problem."),
    .init("problem", "s", "The problem."),
    .init("consequence", "s", "What follows from the problem."),
  ])
}
