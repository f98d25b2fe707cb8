/// A quick action: a static one of `UIApplicationShortcutItems`, or a dynamic one that the running application
/// has set (R1.39, R1.40).
package struct QuickAction: Hashable, Sendable, Codable {
  /// Defined by the application; several actions may have one type. May look like a URL, but is never delivered as a URL (R5.22).
  package var type: String
  package var title: String
  package var subtitle: String?
  /// Name of its image or symbol.
  package var icon: String?
  /// `UIApplicationShortcutItemUserInfo`, which is delivered with the action.
  package var userInfo: [String: PlainValue]

  package init(
    type: String, title: String, subtitle: String? = nil, icon: String? = nil,
    userInfo: [String: PlainValue] = [:]
  ) {
    self.type = type
    self.title = title
    self.subtitle = subtitle
    self.icon = icon
    self.userInfo = userInfo
  }
}

extension QuickAction {
  /// Whether this is the type of the action, scalar by scalar: Swift takes the Unicode forms of a character, such as `é`
  /// and `e` with an accent, for equal, but an application may give each an action.
  package func isOfType(_ type: String) -> Bool {
    self.type.unicodeScalars.elementsEqual(type.unicodeScalars)
  }

  package static func == (one: QuickAction, other: QuickAction) -> Bool {
    one.isOfType(other.type) && one.title == other.title && one.subtitle == other.subtitle
      && one.icon == other.icon && one.userInfo == other.userInfo
  }
}

/// The quick actions that menus show.
package enum QuickActionMenu {
  package static let mostShown = 4

  /// Static items first, in the order of the property list; dynamic items use the remaining places (R1.40).
  package static func shown<Item>(static fixed: [Item], dynamic: [Item]) -> [Item] {
    Array((fixed + dynamic).prefix(mostShown))
  }
}
