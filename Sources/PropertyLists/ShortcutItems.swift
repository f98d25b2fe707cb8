internal import LaunchRules

/// Reads `UIApplicationShortcutItems`: the static quick actions (R1.39).
extension LenientDictionary {
  func shortcutItems(_ context: ReadingContext) -> [QuickAction] {
    list("UIApplicationShortcutItems") { value in
      guard let item = value.dictionary() else { return nil }
      guard let type = item.text("UIApplicationShortcutItemType") else {
        context.report(
          .warning, value.path, "has no UIApplicationShortcutItemType",
          "the quick action was ignored: give it a type")
        return nil
      }
      let title = item.text("UIApplicationShortcutItemTitle")
      if title == nil {
        context.report(
          .warning, value.path, "has no UIApplicationShortcutItemTitle",
          "its type is shown instead: give it a title")
      }
      return QuickAction(
        type: type, title: title ?? type,
        subtitle: item.text("UIApplicationShortcutItemSubtitle"), icon: item.icon(),
        userInfo: item.userInfo(context))
    }
  }

  private func userInfo(_ context: ReadingContext) -> [String: PlainValue] {
    let key = "UIApplicationShortcutItemUserInfo"
    guard let dictionary = dictionary(key) else { return [:] }
    let values = dictionary.plainValues(depth: 1)
    guard PlainValue.dictionary(values).size <= PlainValue.largest else {
      context.report(
        .warning, path(of: key), "has more than \(PlainValue.largest) bytes",
        "the quick action comes without it: make it smaller")
      return [:]
    }
    return values
  }

  /// A file of the bundle takes precedence over a constant of the system (R1.39).
  private func icon() -> String? {
    for kind in ["File", "SymbolName", "Type"] {
      if let icon = text("UIApplicationShortcutItemIcon" + kind) { return icon }
    }
    return nil
  }
}
