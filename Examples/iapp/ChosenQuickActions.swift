import Foundation
import LaunchServices

/// The quick actions that the user has chosen in the settings, at most the four that iOS shows (R10.8).
struct ChosenQuickActions: Equatable {
  let actions: [QuickAction]

  static let standard = ChosenQuickActions([.search, .rank, .favorites, .subscription])

  init(_ actions: [QuickAction]) { self.actions = Array(actions.prefix(4)) }

  /// Reads the last argument of `--quick-actions`, such as `search,feedback`; nil without an argument, or
  /// with an unknown name.
  init?(arguments: [String]) {
    guard let option = arguments.lastIndex(of: "--quick-actions"), option + 1 < arguments.count
    else { return nil }
    let names = arguments[option + 1].split(separator: ",")
    let actions = names.compactMap { QuickAction(rawValue: "iapp://\($0)") }
    guard actions.count == names.count else { return nil }
    self.init(actions)
  }

  /// The dynamic quick actions of the application.
  var shortcutItems: [ApplicationShortcutItem] {
    actions.map { ApplicationShortcutItem(type: $0.rawValue, localizedTitle: $0.title) }
  }
}
