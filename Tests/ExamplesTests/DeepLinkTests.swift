import FoundationEssentials
import LaunchServices
import Testing

@testable import iapp

@Suite struct `A deep link of iApp` {
  private func link(_ text: String) throws -> DeepLink? {
    DeepLink(try #require(URL(string: text)))
  }

  @Test(
    "T10.1 T10.2 T10.3 T10.4 T10.7 T10.8",
    arguments: [
      (
        "iapp://app?id=6446581591&region=%E4%B8%AD%E5%9B%BD&country=cn",
        "detail 6446581591 region 中国"
      ),
      ("iappstore://app?id=1", "detail 1 region 中国"),
      (
        "iapp://rank?type=%E7%83%AD%E9%97%A8%E5%85%8D%E8%B4%B9%E6%A6%9C"
          + "&category=%E6%B8%B8%E6%88%8F&region=%E4%B8%AD%E5%9B%BD",
        "rank type=热门免费榜 category=游戏 region=中国"
      ),
      ("iapp://rank?type=free&category=%E6%B8%B8%E6%88%8F", "rank category=游戏"),
      ("IAPP://rank", "rank"),
      ("iapp://rank?type=%E7%83%AD%E9%97%A8%E5%85%8D%E8%B4%B9iPad%E6%A6%9C", "rank"),
    ])
  func vectors(_ url: String, _ line: String) throws {
    #expect(try link(url)?.description == line)
  }

  @Test("R10.6 a name with spaces matches with its spaces") func spaces() throws {
    let url = "iapp://rank?type=%E7%83%AD%E9%97%A8%E5%85%8D%E8%B4%B9%20iPad%20%E6%A6%9C"
    #expect(try link(url) == .rankings(Filters(type: "热门免费 iPad 榜")))
  }

  @Test("R10.7 a plus is not a space") func plus() throws {
    let url = "iapp://rank?type=%E7%83%AD%E9%97%A8%E5%85%8D%E8%B4%B9+iPad+%E6%A6%9C"
    #expect(try link(url) == .rankings(Filters()))
  }

  @Test(
    "R10.4 a region that is known wins, then the country, then the default",
    arguments: [
      ("region=%E6%97%A5%E6%9C%AC&country=us", "日本"), ("region=x&country=us", "美国"),
      ("region=x&country=xx", "中国"), ("country=jp", "日本"), ("country=FR", "法国"),
      ("country=fr", "法国"),
      ("country=is", "冰岛"), ("region=%E5%86%B0%E5%B2%9B", "冰岛"),
    ])
  func regions(_ query: String, _ region: String) throws {
    #expect(try link("iapp://app?id=1&\(query)") == .detail(id: 1, region: region))
  }

  @Test("G2: every region of ISO 3166 is known by its code, in either case") func allRegions()
    throws
  {
    // The 249 officially assigned codes are a part of those that Foundation knows.
    #expect(Catalogue.regionsByCountry.count >= 249)
    for (code, region) in Catalogue.regionsByCountry {
      for country in [code, code.lowercased()] {
        #expect(
          try link("iapp://app?id=1&country=\(country)") == .detail(id: 1, region: region),
          "\(country)")
      }
    }
  }

  @Test(
    "T10.5 R10.2 R10.4 does nothing for another host or a malformed link",
    arguments: [
      "iapp://search", "iapp://", "iapp:app?id=1", "iapp://app", "iapp://app?id=",
      "iapp://app?id=1x",
      "iapp://app?id=+1", "iapp://app?id=-1", "iapp://app?id=99999999999999999999",
      "iapp://app/more?id=1", "iapp://apps?id=1", "other://app?id=1",
    ])
  func ignored(_ url: String) throws {
    #expect(try link(url) == nil)
  }

  @Test("R10.6 there are nine rankings and 26 categories") func catalogue() {
    #expect(Catalogue.ranks.count == 9)
    #expect(Catalogue.categories.count == 26)
  }
}

@Suite struct `iApp's filters` {
  @Test("R10.5 a link changes only what it sets") func updated() {
    let stored = Filters(type: "畅销榜", category: "游戏")
    #expect(
      stored.updated(with: Filters(category: "教育", region: "中国"))
        == Filters(type: "畅销榜", category: "教育", region: "中国"))
  }

  @Test("R10.5 are there again in the next run") func persisted() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = FilterStore(environment: ["XDG_STATE_HOME": folder.path()])
    #expect(store.load() == Filters())
    try store.save(Filters(type: "热门免费榜", category: "游戏", region: "中国"))
    let file = folder.appending(path: "iapp/filters.json")
    #expect(
      FilterStore(file: file).load() == Filters(type: "热门免费榜", category: "游戏", region: "中国"))
  }

  @Test("a state directory that is not absolute is not used") func relative() {
    let store = FilterStore(environment: ["XDG_STATE_HOME": "state", "HOME": "/home/a"])
    #expect(store.file.path() == "/home/a/.local/state/iapp/filters.json")
  }
}

@Suite struct `iApp's quick actions` {
  @Test("T10.6 R10.8 each type selects its place") func places() {
    #expect(QuickAction(rawValue: "iapp://search")?.description == "search tab")
    #expect(QuickAction.allCases.count == 7)
    #expect(QuickAction(rawValue: "iapp://app") == nil)
  }
}

@MainActor @Suite struct `The quick actions of iApp` {
  @Test("G1 the user chooses four of seven") func chosen() {
    let chosen = ChosenQuickActions(
      arguments: ["iapp", "--quick-actions", "settings,review,feedback,rank,search"])
    #expect(chosen?.shortcutItems.map(\.localizedTitle) == ["设置", "评分", "意见反馈", "榜单"])
  }

  @Test(
    "G1 a name that iApp does not know changes nothing", arguments: ["search,nosuch", "Search"])
  func unknown(_ names: String) {
    #expect(ChosenQuickActions(arguments: ["iapp", "--quick-actions", names]) == nil)
  }
}
