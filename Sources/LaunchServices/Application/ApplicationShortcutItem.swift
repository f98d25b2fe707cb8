internal import BusContract
internal import DBus
internal import FoundationEssentials
internal import LaunchRules

/// A quick action, which iOS shows after a long press on the application's icon (R5.22).
///
/// The property list declares static quick actions; `Application.shortcutItems` holds the dynamic ones.
public struct ApplicationShortcutItem: Hashable, Sendable {
  let action: QuickAction

  /// Creates a dynamic quick action.
  /// - Parameters:
  ///   - type: Identifies the quick action to the application. Never opened as a URL, even if it looks like one.
  ///   - localizedTitle: The title for the user; nil for the type.
  ///   - localizedSubtitle: The second line for the user; nil for none.
  ///   - icon: The name of the icon; nil for none.
  ///   - userInfo: Strings, booleans, numbers, data, and arrays and dictionaries of them. Other values are ignored,
  ///     with a line on standard error.
  public init(
    type: String, localizedTitle: String? = nil, localizedSubtitle: String? = nil,
    icon: ApplicationShortcutIcon? = nil, userInfo: [String: Any]? = nil
  ) {
    var plain: [String: PlainValue] = [:]
    for (key, value) in userInfo ?? [:] {
      plain[key] = PlainValue(any: value)
      if plain[key] == nil {
        StandardStreams.complain(
          "quick action \(type): ignored \"\(key)\" in userInfo: use strings, booleans, numbers, data, arrays and"
            + " dictionaries")
      }
    }
    action = QuickAction(
      type: type, title: localizedTitle ?? type, subtitle: localizedSubtitle, icon: icon?.name,
      userInfo: plain)
  }

  init(_ action: QuickAction) { self.action = action }

  /// Identifies the quick action to the application.
  public var type: String { action.type }
  /// The title for the user.
  public var localizedTitle: String { action.title }
  /// The second line for the user; nil for none.
  public var localizedSubtitle: String? { action.subtitle }
  /// The name of the icon; nil for none.
  public var icon: ApplicationShortcutIcon? {
    action.icon.map { ApplicationShortcutIcon(name: $0) }
  }
  /// The application's own values for the quick action, which are property list values; nil for none.
  public var userInfo: [String: Any]? {
    action.userInfo.isEmpty ? nil : action.userInfo.compactMapValues(\.value.propertyListValue)
  }
}

/// The name of a quick action's icon.
public struct ApplicationShortcutIcon: Hashable, Sendable {
  let name: String
  init(name: String) { self.name = name }

  /// An image in the bundle.
  public init(templateImageName: String) { name = templateImageName }
  /// A symbol of the system.
  public init(systemImageName: String) { name = systemImageName }
}

extension PlainValue {
  fileprivate init?(any value: Any) {
    switch value {
    case let text as String: self = .string(text)
    case let flag as Bool: self = .boolean(flag)
    case let number as any BinaryInteger:
      guard let number = Int64(exactly: number) else { return nil }
      self = .integer(number)
    case let number as any BinaryFloatingPoint:
      let number = Double(number)
      guard number.isFinite else { return nil }
      self = .double(number)
    case let data as Data: self = .data(Array(data))
    case let list as [Any]:
      let plain = list.compactMap(PlainValue.init(any:))
      guard plain.count == list.count else { return nil }
      self = .list(plain)
    case let dictionary as [String: Any]:
      let plain = dictionary.compactMapValues(PlainValue.init(any:))
      guard plain.count == dictionary.count else { return nil }
      self = .dictionary(plain)
    default: return nil
    }
  }
}

extension Application {
  /// The dynamic quick actions, at most 16. At most four quick actions are shown; the static ones come first
  /// (R1.40).
  ///
  /// A new value replaces all of them; nil or an empty array removes them. The daemon keeps them after the
  /// application ends, until the application is unregistered. Only a handler may set them. When setting fails,
  /// the old value stays and the reason is printed to standard error.
  public var shortcutItems: [ApplicationShortcutItem]? {
    get { quickActions?.map(ApplicationShortcutItem.init) }
    set {
      let before = quickActions
      quickActions = newValue.map { $0.map(\.action) }
      let items = (quickActions ?? []).map(\.dictionary)
      service.call(Contract.setShortcutItems(items), deadline: .seconds(25)) { [weak self] answer in
        guard case .failure(let error) = answer else { return }
        StandardStreams.complain("cannot set the quick actions: \(error.text)")
        self?.quickActions = before
      }
    }
  }

  /// Reads the quick actions that an earlier process of the application set from the answer to the check-in.
  func takeShortcutItems(_ checkIn: Options) {
    quickActions = checkIn[Key.shortcutItems]?.asOptionsList?.map {
      QuickAction(type: $0[Key.type]?.asString ?? "", details: $0)
    }
  }
}
