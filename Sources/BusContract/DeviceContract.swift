package import DBus
package import LaunchRules

// Devices, and the activities that devices continue.

extension Device {
  package static let description = DictionaryDescription(
    [
      .init(Key.id, "s", "The identifier."),
      .init(Key.name, "s", "The name, which the user of the device has chosen."),
      .init(
        Key.type, "s",
        "The kind of device: "
          + Kind.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."),
      .init(
        Key.transport, "s",
        "The program that carries URLs to the device: "
          + Transport.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ") + "."),
      .init(Key.paired, "b", "For KDE Connect: whether the device is paired with this machine."),
      .init(Key.reachable, "b", "For KDE Connect: whether the device is reachable now."),
    ])

  package var dictionary: Options {
    var options: Options = [
      Key.id: .string(id), Key.name: .string(name), Key.type: .string(kind.rawValue),
      Key.transport: .string(transport.rawValue),
    ]
    if transport == .kdeConnect {
      options[Key.paired] = .boolean(isPaired)
      options[Key.reachable] = .boolean(isReachable)
    }
    return options
  }
}

extension CurrentActivity {
  static let keys = description.keys

  private static let entries: [DictionaryDescription.Entry] = [
    .init(
      Key.type, "s",
      """
      The type, which the property list of the application declares in `NSUserActivityTypes`: at most \
      \(longestType) bytes.
      """),
    .init(
      Key.title, "s", "The title for the user, if there is one: at most \(longestTitle) bytes."),
    .init(
      Key.webpageURL, "s",
      """
      The http or https URL of a page with the same content, if there is one: at most \(longestURL) bytes. Only an \
      activity with a URL can be continued on another device.
      """),
  ]

  package static let description = DictionaryDescription(entries)

  /// An activity in the reply of CurrentActivities.
  package static let listDescription = DictionaryDescription(
    [.init(Key.bundleIdentifier, "s", "The identifier of the application.")], entries)

  package var dictionary: Options {
    var options: Options = [Key.type: .string(type)]
    if let title { options[Key.title] = .string(title) }
    if let webpageURL { options[Key.webpageURL] = .string(webpageURL) }
    return options
  }

  /// The argument of `SetCurrentActivity`; nil for an empty dictionary.
  static func read(_ reader: OptionReader) throws(BusError) -> CurrentActivity? {
    func text(_ key: String, longest: Int) throws(BusError) -> String? {
      guard let text = try reader.string(key) else { return nil }
      guard (1...longest).contains(text.utf8.count) else {
        throw .invalidArguments(
          "activity: '\(key)' has \(text.utf8.count) bytes; 1 to \(longest) are allowed")
      }
      return text
    }
    let type = try text(Key.type, longest: longestType)
    let title = try text(Key.title, longest: longestTitle)
    let url = try text(Key.webpageURL, longest: longestURL)
    guard let type else {
      guard title == nil, url == nil else {
        throw .invalidArguments("activity: 'type' s is missing")
      }
      return nil
    }
    return CurrentActivity(type: type, title: title, webpageURL: url)
  }
}

// MARK: - Methods

extension Contract {
  static let activityMethods: [InterfaceDescription.Method] = [
    .init(
      "SetCurrentActivity",
      [
        .init(
          "activity", "a{sv}", "The activity; empty if the application has no current activity.",
          CurrentActivity.description), .noOptions,
      ], returns: [],
      """
      Offers the activity that the user of the application of this connection is in, instead of an earlier activity. The \
      service forgets the activity when the process ends. Fails with NotPermitted if the property list does not declare \
      the type in `NSUserActivityTypes`.
      """)
  ]

  static let devicesOfWorkspace: [InterfaceDescription.Method] = [
    .init(
      "CurrentActivities", [.noOptions],
      returns: [
        .init(
          "activities", "aa{sv}", "The current activities of applications, the newest first.",
          CurrentActivity.listDescription)
      ],
      """
      Returns the activities that applications have offered with SetCurrentActivity, so that the user can continue one of \
      them on a device with OpenURL and the option `on`. Applications may not call CurrentActivities.
      """)
  ]

  static let devicesOfRegistry: [InterfaceDescription.Method] = [
    .init(
      "Devices",
      [
        .init(
          "options", "a{sv}", "The options.",
          DictionaryDescription([
            .init(
              Key.start, "b",
              "True starts KDE Connect if KDE Connect does not run; by default false.")
          ]))
      ],
      returns: [
        .init("devices", "aa{sv}", "The devices, by name.", Device.description),
        .init(
          "problem", "s", "The reason why devices may be missing, with the next step; else empty."),
      ],
      """
      Returns the devices to which OpenURL can hand a URL over with the option `on`: the phones of KDE Connect, and the \
      machines that are remotes. Waits at most 2 seconds for KDE \
      Connect, and 10 seconds for its start.
      """)
  ]
}

extension Contract {
  package static func setCurrentActivity(_ activity: CurrentActivity?) -> Message {
    ask(
      launch, "SetCurrentActivity", [.options(activity?.dictionary ?? [:]), .options([:])])
  }

  package static func currentActivities() -> Message {
    ask(workspace, "CurrentActivities", [.options([:])])
  }

  package static func devices(startsService: Bool) -> Message {
    ask(registry, "Devices", [.options(startsService ? [Key.start: .boolean(true)] : [:])])
  }
}
