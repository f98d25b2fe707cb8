/// The names in iApp's pickers. URLs must spell them exactly so, in every language of the user
/// interface (R10.6).
enum Catalogue {
  static let ranks: Set = [
    "热门免费榜", "热门付费榜", "畅销榜", "新上架榜", "新上架的免费榜", "新上架的付费榜", "热门免费 iPad 榜",
    "热门付费 iPad 榜", "畅销的 iPad 榜",
  ]

  /// The specification spells out seven of the 26; the others are the App Store's own names.
  static let categories: Set = [
    "所有 App", "游戏", "效率", "工具", "摄影与录像", "社交", "教育", "图书", "商务", "软件开发工具", "娱乐", "财务",
    "美食佳饮", "图形和设计", "健康健美", "儿童", "生活", "医疗", "音乐", "导航", "新闻", "参考资料", "购物", "体育",
    "旅游", "天气",
  ]

  /// By ISO country code. The specification names only the first.
  static let regionsByCountry = [
    "cn": "中国", "us": "美国", "jp": "日本", "kr": "韩国", "gb": "英国", "de": "德国", "fr": "法国",
  ]
  static let regions = Set(regionsByCountry.values)
  static let defaultRegion = "中国"
}
