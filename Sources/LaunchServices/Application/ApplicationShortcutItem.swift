internal import BusContract
internal import DBus

/// A quick action: what a long press on the application's icon offers on iOS (R5.22).
///
/// Static ones are in the property list; `Application.shortcutItems` are the dynamic ones.
public struct ApplicationShortcutItem: Hashable, Sendable {
  let action: QuickAction

  /// - Parameters:
  ///   - type: What the application is told when it is chosen. May look like a URL, and is none.
  ///   - localizedTitle: What people see; nil for the type.
  ///   - userInfo: Texts, booleans, numbers, and arrays and dictionaries of them. Anything else is
  ///     left out, with a line on standard error.
  public init(
    type: String, localizedTitle: String? = nil, localizedSubtitle: String? = nil,
    icon: ApplicationShortcutIcon? = nil, userInfo: [String: Any]? = nil
  ) {
    var plain: [String: PlainValue] = [:]
    for (key, value) in userInfo ?? [:] {
      plain[key] = PlainValue(any: value)
      if plain[key] == nil {
        StandardStreams.complain(
          "left \"\(key)\" out of the userInfo of a quick action: it cannot be kept")
      }
    }
    action = QuickAction(
      type: type, title: localizedTitle ?? type, subtitle: localizedSubtitle, icon: icon?.name,
      userInfo: plain)
  }

  init(_ action: QuickAction) { self.action = action }

  public var type: String { action.type }
  public var localizedTitle: String { action.title }
  public var localizedSubtitle: String? { action.subtitle }
  public var icon: ApplicationShortcutIcon? {
    action.icon.map { ApplicationShortcutIcon(name: $0) }
  }
  /// Nil when there is none.
  public var userInfo: [String: Any]? {
    action.userInfo.isEmpty ? nil : action.userInfo.compactMapValues(\.value.propertyListValue)
  }
}

/// The picture of a quick action, by its name.
public struct ApplicationShortcutIcon: Hashable, Sendable {
  let name: String
  init(name: String) { self.name = name }

  /// An image of the bundle.
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
  /// The dynamic quick actions. At most four are shown, the static ones of the property list first
  /// (R1.40); at most 16 are kept.
  ///
  /// Setting replaces them all; nil or an empty array removes them. They stay when the application
  /// ends, until it is unregistered. Only a handler may set them; what goes wrong is said on standard
  /// error, and what was there before stays.
  public var shortcutItems: [ApplicationShortcutItem]? {
    get { quickActions?.map(ApplicationShortcutItem.init) }
    set {
      let before = quickActions
      quickActions = newValue.map { $0.map(\.action) }
      let items = (quickActions ?? []).map(\.dictionary)
      service.call(Contract.setShortcutItems(items), deadline: .seconds(25)) { [weak self] answer in
        guard case .failure(let error) = answer else { return }
        StandardStreams.complain("the quick actions were not changed: \(error.text)")
        self?.quickActions = before
      }
    }
  }

  /// Those that an earlier process of the application set, from the answer to its check-in.
  func takeShortcutItems(_ checkIn: Options) {
    quickActions = checkIn[Key.shortcutItems]?.asOptionsList?.map {
      QuickAction(type: $0[Key.type]?.asString ?? "", details: $0)
    }
  }
}
