/// The quick actions from which the user chooses `ChosenQuickActions`. Their types have the form of URLs, but
/// are not URLs (R10.9).
enum QuickAction: String, CaseIterable {
  case search = "iapp://search"
  case rank = "iapp://rank"
  case favorites = "iapp://favorites"
  case subscription = "iapp://subscription"
  case feedback = "iapp://feedback"
  case review = "iapp://review"
  case settings = "iapp://settings"
}

extension QuickAction {
  /// The title for the user.
  var title: String {
    switch self {
    case .search: "搜索"
    case .rank: "榜单"
    case .favorites: "App 收藏夹"
    case .subscription: "订阅"
    case .feedback: "意见反馈"
    case .review: "评分"
    case .settings: "设置"
    }
  }
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
