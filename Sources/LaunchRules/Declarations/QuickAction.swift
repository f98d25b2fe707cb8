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

/// The quick actions that menus show.
package enum QuickActionMenu {
  package static let mostShown = 4

  /// Static items first, in the order of the property list; dynamic items use the remaining places (R1.40).
  package static func shown<Item>(static fixed: [Item], dynamic: [Item]) -> [Item] {
    Array((fixed + dynamic).prefix(mostShown))
  }
}
