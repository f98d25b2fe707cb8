/// What a long press on iApp's icon offers. The property list shows four of them, the most that iOS
/// shows (R10.8); their types look like URLs and are none (R10.9).
enum QuickAction: String, CaseIterable {
  case search = "iapp://search"
  case rank = "iapp://rank"
  case favorites = "iapp://favorites"
  case subscription = "iapp://subscription"
  case feedback = "iapp://feedback"
  case review = "iapp://review"
  case settings = "iapp://settings"
}

extension QuickAction: CustomStringConvertible {
  var description: String {
    switch self {
    case .search: "search tab"
    case .rank: "rankings tab"
    case .favorites: "settings tab, favorites"
    case .subscription: "subscriptions tab"
    case .feedback: "feedback mail"
    case .review: "rating prompt"
    case .settings: "settings tab"
    }
  }
}
