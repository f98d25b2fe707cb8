package import DBus
package import LaunchRules

// The conversion of quick actions to and from D-Bus values.

extension QuickAction {
  /// All properties except the type.
  package var details: Options {
    var details: Options = [Key.title: .string(title)]
    if let subtitle { details[Key.subtitle] = .string(subtitle) }
    if let icon { details[Key.icon] = .string(icon) }
    if !userInfo.isEmpty { details[Key.userInfo] = .options(userInfo.mapValues(\.value)) }
    return details
  }

  package var dictionary: Options { details.merging([Key.type: .string(type)]) { $1 } }

  /// Reads the values that the daemon sent; a value of a wrong type is ignored.
  package init(type: String, details: Options) {
    self.init(
      type: type, title: details[Key.title]?.asString ?? type,
      subtitle: details[Key.subtitle]?.asString, icon: details[Key.icon]?.asString,
      userInfo: details[Key.userInfo]?.asOptions.flatMap(PlainValue.dictionary) ?? [:])
  }
}

// MARK: - Actions that an application sets

extension QuickAction {
  /// Maximum number of dynamic quick actions of one application. At most four are shown.
  package static let mostKept = 16
  /// Maximum length of each text, in bytes.
  package static let longestText = 1024
  /// Maximum size of the user-info of one action, in bytes.
  package static let largestUserInfo = PlainValue.largest
  /// Maximum number of containers around the innermost value of a user-info.
  package static let deepestUserInfo = PlainValue.deepest

  static let keys = entry.keys

  private static let details: [DictionaryDescription.Entry] = [
    .init(Key.title, "s", "The title."),
    .init(Key.subtitle, "s", "The subtitle, if the quick action has one."),
    .init(Key.icon, "s", "The name of the icon, if the quick action has one."),
    .init(
      Key.userInfo, "a{sv}",
      """
      Values of the application: at most \(largestUserInfo) bytes with \(deepestUserInfo) nested \
      containers, without file descriptors and object paths. The values are those of the \
      application, so no keys are defined. Numbers arrive as x or d, data as ay, arrays as av.
      """, DictionaryDescription([])),
  ]

  /// A quick action without its type.
  package static let detailsDescription = DictionaryDescription(
    "Details of a quick action", details)

  /// A quick action.
  package static let entry = DictionaryDescription(
    "Quick action",
    [.init(Key.type, "s", "The type, which names the quick action in calls.")], details)

  /// The argument of `SetShortcutItems`.
  static func list(_ items: [Options]) throws(BusError) -> [QuickAction] {
    guard items.count <= mostKept else {
      throw OpenFailure.limitExceeded(
        "at most \(mostKept) dynamic quick actions are kept for an application"
      ).busError
    }
    var actions: [QuickAction] = []
    for (index, item) in items.enumerated() {
      actions.append(try QuickAction(OptionReader(options: item), "items[\(index)]"))
    }
    return actions
  }

  private init(_ reader: OptionReader, _ place: String) throws(BusError) {
    func text(_ key: String) throws(BusError) -> String? {
      guard let text = try reader.string(key) else { return nil }
      guard text.utf8.count <= Self.longestText else {
        throw .invalidArguments(
          "\(place): '\(key)' has \(text.utf8.count) bytes; at most \(Self.longestText) are kept")
      }
      return text
    }
    func required(_ key: String) throws(BusError) -> String {
      guard let text = try text(key), !text.isEmpty else {
        throw .invalidArguments("\(place): '\(key)' s is missing or empty")
      }
      return text
    }
    self.init(
      type: try required(Key.type), title: try required(Key.title),
      subtitle: try text(Key.subtitle), icon: try text(Key.icon))
    guard let options = try reader.options(Key.userInfo) else { return }
    let value = Value.options(options)
    guard value.byteCount <= Self.largestUserInfo, value.depth <= Self.deepestUserInfo else {
      throw .invalidArguments(
        "\(place): 'user-info' may have \(Self.largestUserInfo) bytes and be nested"
          + " \(Self.deepestUserInfo) deep, not \(value.byteCount) bytes and \(value.depth) deep")
    }
    guard let userInfo = PlainValue.dictionary(options) else {
      throw .invalidArguments(
        "\(place): 'user-info' contains what cannot be kept; use texts, booleans, numbers, arrays and"
          + " dictionaries")
    }
    self.userInfo = userInfo
  }
}
