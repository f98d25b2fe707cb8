import Foundation

/// The names in iApp's pickers. URLs contain exactly these names, in every language of the user interface
/// (R10.6).
enum Catalogue {
  static let ranks: Set = [
    "热门免费榜", "热门付费榜", "畅销榜", "新上架榜", "新上架的免费榜", "新上架的付费榜", "热门免费 iPad 榜",
    "热门付费 iPad 榜", "畅销的 iPad 榜",
  ]

  /// The specification lists seven of the 26 names; the others are those of the App Store.
  static let categories: Set = [
    "所有 App", "游戏", "效率", "工具", "摄影与录像", "社交", "教育", "图书", "商务", "软件开发工具", "娱乐", "财务",
    "美食佳饮", "图形和设计", "健康健美", "儿童", "生活", "医疗", "音乐", "导航", "新闻", "参考资料", "购物", "体育",
    "旅游", "天气",
  ]

  /// The Chinese names of all regions of ISO 3166, by their codes of two capital letters. The specification
  /// uses 中国 instead of Foundation's 中国大陆.
  static let regionsByCountry: [String: String] = {
    let chinese = Locale(identifier: "zh_Hans")
    let codes = Locale.Region.isoRegions.map(\.identifier).filter { code in
      code.utf8.count == 2
        && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
    return Dictionary(
      codes.compactMap { code in chinese.localizedString(forRegionCode: code).map { (code, $0) } }
        + [("CN", defaultRegion)],
      uniquingKeysWith: { $1 })
  }()
  static let regions = Set(regionsByCountry.values)
  static let defaultRegion = "中国"
}
