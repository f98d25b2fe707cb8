import BusContract
import Foundation
import LaunchServicesTesting
import Testing

private let freeRank = "%E7%83%AD%E9%97%A8%E5%85%8D%E8%B4%B9%E6%A6%9C"
private let games = "%E6%B8%B8%E6%88%8F"
private let china = "%E4%B8%AD%E5%9B%BD"

@MainActor
@Suite("iApp, the whole of its specification", .timeLimit(.minutes(30)))
struct IAppExampleTests {
  /// Opens one URL and waits for the line that iApp prints for it.
  private func opens(_ url: String, _ line: String) async throws {
    try await Testbed.run { world in
      try await Example.iapp.register(in: world)
      let receipt = try await world.client.open(url)
      #expect(receipt.handler == "com.example.iapp")
      #expect(receipt.outcome == .deliveredCold)
      #expect(try await world.daemon.line(containing: line) == line)
    }
  }

  /// Starts iApp, which sets its quick actions, and ends it.
  private func runOnce(_ world: Testbed, _ arguments: [String] = []) async throws {
    var options = OpenOptions()
    options.arguments = arguments
    // It has set its quick actions when it has launched.
    let pid = try await world.client.openApplication("com.example.iapp", options).pid
    let end = world.client.end(of: pid)
    try await world.client.ping()
    kill(pid, SIGTERM)
    _ = try await end.how()
  }

  private func filters(_ world: Testbed) throws -> [String: String] {
    let file = try #require(world.environment["XDG_STATE_HOME"]) + "/iapp/filters.json"
    guard let bytes = FileManager.default.contents(atPath: file) else { return [:] }
    return try JSONDecoder().decode([String: String].self, from: bytes)
  }

  @Test("T10.1 an app with its region") func detail() async throws {
    try await opens(
      "iapp://app?id=6446581591&region=\(china)&country=cn", "detail 6446581591 region 中国")
  }

  @Test("T10.2 the legacy scheme, and the region that is understood") func legacy() async throws {
    try await opens("iappstore://app?id=1", "detail 1 region 中国")
  }

  @Test("T10.3 three filters are set and kept") func rank() async throws {
    try await Testbed.run { world in
      try await Example.iapp.register(in: world)
      _ = try await world.client.open(
        "iapp://rank?type=\(freeRank)&category=\(games)&region=\(china)")
      try await world.daemon.line(containing: "rank type=热门免费榜 category=游戏 region=中国")
      #expect(try filters(world) == ["type": "热门免费榜", "category": "游戏", "region": "中国"])
    }
  }

  @Test("T10.4 a type nobody knows is ignored, the category is applied")
  func unknownType() async throws {
    try await Testbed.run { world in
      try await Example.iapp.register(in: world)
      _ = try await world.client.open("iapp://rank?type=free&category=\(games)")
      #expect(try await world.daemon.line(containing: "rank") == "rank category=游戏")
      #expect(try filters(world) == ["category": "游戏"])
    }
  }

  @Test("T10.5 a host that only quick actions know does nothing as a URL")
  func quickActionHost() async throws {
    try await opens("iapp://search", "ignored iapp://search")
  }

  @Test("T10.6 a quick action selects its tab, and no URL is opened") func quickAction()
    async throws
  {
    try await Testbed.run { world in
      try await Example.iapp.register(in: world)
      try await runOnce(world)
      let cold = try await world.client.performQuickAction(
        "iapp://search", of: "com.example.iapp")
      #expect(cold.outcome == .deliveredCold)
      try await world.daemon.line(containing: "quick action search tab")
      let warm = try await world.client.performQuickAction("iapp://rank", of: "com.example.iapp")
      #expect(warm.outcome == .deliveredWarm)
      try await world.daemon.line(containing: "quick action rankings tab")
      #expect(!world.daemon.lines.contains { $0.hasPrefix("ignored") || $0.hasPrefix("rank") })
    }
  }

  @Test("G1 the user chooses the quick actions, and iApp performs those") func chosenActions()
    async throws
  {
    try await Testbed.run { world in
      try await Example.iapp.register(in: world)
      try await runOnce(world, ["--quick-actions", "feedback,review,settings,favorites"])
      let receipt = try await world.client.performQuickAction(
        "iapp://feedback", of: "com.example.iapp")
      #expect(receipt.outcome == .deliveredCold)
      try await world.daemon.line(containing: "quick action feedback mail")
      await #expect(throws: Refusal.self) {
        try await world.client.performQuickAction("iapp://search", of: "com.example.iapp")
      }
    }
  }

  @Test("T10.7 the scheme in capitals is the same scheme") func capitals() async throws {
    try await opens("IAPP://rank", "rank")
  }

  @Test("T10.8 a type without its spaces is another type") func spaces() async throws {
    try await Testbed.run { world in
      try await Example.iapp.register(in: world)
      _ = try await world.client.open(
        "iapp://rank?type=%E7%83%AD%E9%97%A8%E5%85%8D%E8%B4%B9iPad%E6%A6%9C")
      #expect(try await world.daemon.line(containing: "rank") == "rank")
      #expect(try filters(world) == [:])
    }
  }
}

@MainActor
@Suite("The other examples", .timeLimit(.minutes(30)))
struct OtherExampleTests {
  @Test("the photo album of Apple's article: cold, warm, and URLs it cannot use")
  func photoAlbum() async throws {
    try await Testbed.run { world in
      try await Example.photoAlbum.register(in: world)
      let cold = try await world.client.open("myphotoapp:Vacation?index=1")
      #expect(cold.outcome == .deliveredCold)
      try await world.daemon.line(containing: "albumPath = Vacation")
      try await world.daemon.line(containing: "photoIndex = 1")
      let warm = try await world.client.open("myphotoapp:Vacation?index=2")
      #expect(warm.outcome == .deliveredWarm)
      try await world.daemon.line(containing: "photoIndex = 2")
      let missing = try await world.client.open("myphotoapp:Vacation?name=x")
      #expect(missing.outcome == Outcome(.warm, .delivered, handled: false))
      try await world.daemon.line(containing: "Photo index missing")
      let malformed = try await world.client.open("myphotoapp:Vacation")
      #expect(malformed.outcome == Outcome(.warm, .delivered, handled: false))
      try await world.daemon.line(containing: "Invalid URL or album path missing")
    }
  }

  @Test("R5.36 a second copy that is started by hand hands its URLs over and leaves")
  func handOver() async throws {
    try await Testbed.run { world in
      try await Example.photoAlbum.register(in: world)
      let first = try await world.client.open("myphotoapp:A?index=1").pid
      let second = try world.startProcess(
        "photo-album", ["--quiet", "myphotoapp:B?index=2", "myphotoapp:C?index=3"])
      #expect(try await second.hasEnded() == "exited with code 0")
      for line in ["albumPath = B", "albumPath = C"] {
        try await world.daemon.line(containing: line)
      }
      #expect(try await world.client.open("myphotoapp:D?index=4").pid == first)

      let idle = try world.startProcess("photo-album")
      #expect(try await idle.hasEnded() == "exited with code 75")
    }
  }

  @Test("R5.23 iApp and the photo album are of one team, so the source is told")
  func sameTeam() async throws {
    try await Testbed.run { world in
      try await Example.photoAlbum.register(in: world)
      try await Example.iapp.register(in: world)
      _ = try await world.client.open("myphotoapp:A?index=1", as: "com.example.iapp")
      try await world.daemon.line(containing: "source application = com.example.iapp")
    }
  }

  nonisolated static let hasPython =
    FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/dbus/__init__.py")
    && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/gi/__init__.py")

  @Test(
    "a handler in Python, cold and warm",
    .enabled(if: hasPython, "needs the packages python3-dbus and python3-gi"))
  func python() async throws {
    try await Testbed.run { world in
      try await Example.pythonHandler.register(in: world)
      let cold = try await world.client.open("note:hello")
      #expect(cold.outcome == .deliveredCold)
      try await world.daemon.line(containing: "note note:hello from unknown")
      let warm = try await world.client.open("note:again")
      #expect(warm.outcome == .deliveredWarm)
      #expect(warm.pid == cold.pid)
    }
  }
}
