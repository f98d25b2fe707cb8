import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite("Universal links", .timeLimit(.minutes(30)))
struct UniversalLinkTests {
  static let app = "com.example.shop"
  static let url = "https://shop.sites.example/buy/1?a=b#c"

  /// A world with the shop, its association file, and a browser.
  private func withShop(
    _ script: HandlerScript = .delegate(),
    _ body: @MainActor (Testbed, ScriptedHandler, ScriptedHandler) async throws -> Void
  ) async throws {
    try await Testbed.run { world in
      let browser = try await world.installBrowser()
      let shop = try await world.installLinked(Self.app, script)
      try await world.addAssociationFile(Association.file(Self.app))
      try await body(world, shop, browser)
    }
  }

  @Test("R5.20 R4.10 R8.19 reach an application delegate as a user activity, cold and warm")
  func delegate() async throws {
    try await withShop { world, shop, _ in
      let cold = try await world.open(Self.url)
      #expect(cold.handler == Self.app)
      #expect(cold.outcome == .deliveredCold)
      #expect(
        shop.heard() == [
          .started, .checkedIn(.launchOptions(hints: LaunchHints(webpage: Self.url))), .finishing,
          .continued(Self.url),
        ])
      #expect(try await world.open(Self.url).outcome == .deliveredWarm)
      #expect(shop.heard() == [.continued(Self.url)])
    }
  }

  @Test("R5.21 are not called when a launch method returned false", arguments: [true, false])
  func gate(_ will: Bool) async throws {
    try await withShop(.delegate(will: will, did: !will)) { world, shop, _ in
      let refused = try await world.open(Self.url)
      #expect(refused.outcome == .vetoed)
      #expect(!shop.heard().contains(.continued(Self.url)))
      #expect(try await world.open(Self.url).outcome == .deliveredWarm)
      #expect(shop.heard() == [.continued(Self.url)])
    }
  }

  @Test("R5.20 reach a scene in its connection options, and while it runs")
  func scene() async throws {
    try await withShop(.scene()) { world, shop, _ in
      let cold = try await world.open(Self.url)
      #expect(cold.outcome == .deliveredCold)
      #expect(
        shop.heard() == [
          .started, .checkedIn(.connectionOptions(hints: LaunchHints(webpage: Self.url))),
          .finishing,
        ])
      #expect(try await world.open(Self.url).outcome == .deliveredWarm)
      #expect(shop.heard() == [.continued(Self.url)])
    }
  }

  @Test("R5.21 the opener is told that one was not handled, and no browser gets it")
  func notHandled() async throws {
    try await withShop(.delegate(deliveries: [.answer(false)])) { world, _, browser in
      let receipt = try await world.open(Self.url)
      #expect(receipt.outcome == Outcome(.cold, .delivered, handled: false))
      #expect(browser.heard() == [])
    }
  }

  @Test("Links and URLs that wait for a launch arrive in order, each once")
  func order() async throws {
    try await Testbed.run { world in
      let shop = try await world.installLinked(
        Self.app, HandlerScript(launch: [.wait, .checkIn(), .finishLaunching()])
      ) { $0.schemes = ["shop"] }
      try await world.addAssociationFile(Association.file(Self.app))
      let openings = ["shop:1", Self.url, "shop:2", Self.url].map { world.client.opening($0) }
      try await shop.isWaiting()
      try await shop.go()
      for opening in openings { _ = try await opening.receipt() }
      #expect(
        shop.heard().suffix(4) == [
          .opened("shop:1"), .continued(Self.url), .opened("shop:2"), .continued(Self.url),
        ])
    }
  }

  @Test("A link with a request-id is delivered once, also to the next daemon")
  func once() async throws {
    try await withShop { world, shop, _ in
      _ = try await world.client.open(Self.url, requestID: "r1")
      try await world.killDaemon()
      try await world.startDaemon()
      #expect(try await world.client.open(Self.url, requestID: "r1").isRepeated)
      #expect(shop.heard().filter { $0 == .continued(Self.url) }.count == 1)
    }
  }

  @Test("R4.9 R8.20 a link of the opener's own domain goes to the browser")
  func ownDomain() async throws {
    try await withShop { world, shop, browser in
      _ = try await world.open(Self.url)
      _ = shop.heard()
      _ = try await shop.open(Self.url)
      #expect(browser.heard().last == .opened(Self.url))
      #expect(shop.heard() == [])
    }
  }

  @Test("R8.20 R8.21 the user's choice for application and domain counts, and is remembered")
  func choice() async throws {
    try await withShop { world, _, _ in
      func user() async throws -> Value? {
        try await world.client.call(Contract.links()).first?.asOptionsList?.first?["user"]
      }
      #expect(try await user() == .string("unspecified"))
      _ = try await world.client.call(
        Contract.chooseLink(Self.app, "shop.sites.example", "browser"))
      #expect(try await world.open(Self.url).handler == "com.example.browser")
      try await world.restartDaemon()
      #expect(try await user() == .string("denied"))
      #expect(try await world.open(Self.url).handler == "com.example.browser")
      _ = try await world.client.call(
        Contract.chooseLink(Self.app, "shop.sites.example", "application"))
      #expect(try await world.open(Self.url).handler == Self.app)
      #expect(try await user() == .string("approved"))
      _ = try await world.client.call(Contract.chooseLink(Self.app, "shop.sites.example", ""))
      #expect(try await user() == .string("unspecified"))
      await #expect(throws: Refusal.self) {
        _ = try await world.client.call(Contract.chooseLink(Self.app, "other.example", "browser"))
      }
    }
  }

  @Test("R4.7 universal-links-only fails when nobody gets the link")
  func linksOnly() async throws {
    try await withShop { world, _, _ in
      var options = OpenOptions()
      options.universalLinksOnly = true
      let receipt = try await world.open(Self.url, options)
      #expect(receipt.handler == Self.app)
      for (url, end) in [(Self.url, 0), ("https://other.example/", 4)] {
        let process = try world.startProcess("lsopen", ["--universal-links-only", url])
        #expect(try await process.hasEnded() == "exited with code \(end)", "\(process.lines)")
      }
      for url in ["https://shop.sites.example/sell", "https://other.example/", "shop:1"] {
        await #expect(throws: Refusal.self) { try await world.open(url, options) }
      }
    }
  }

  @Test("R4.7 universal-links-only also binds an application that is named")
  func linksOnlyDesignated() async throws {
    try await withShop { world, shop, browser in
      @MainActor func lsopen(
        _ application: String, _ url: String
      ) async throws -> (String, String) {
        let process = try world.startProcess(
          "lsopen", ["--universal-links-only", "-b", application, url])
        return (try await process.hasEnded(), process.lines.joined(separator: " "))
      }
      #expect(try await lsopen(Self.app, Self.url).0 == "exited with code 0")
      #expect(shop.heard().last == .continued(Self.url))
      let elsewhere = "https://shop.sites.example/sell"
      for (application, url, reason) in [
        (Self.app, elsewhere, "no component matches"),
        ("com.example.browser", Self.url, "com.example.browser does not declare the host"),
        (Self.app, "shop:1", "only http and https URLs are universal links"),
        (Self.app, "file:///etc/passwd", "only http and https URLs are universal links"),
      ] {
        let (end, text) = try await lsopen(application, url)
        #expect(end == "exited with code 4" && text.contains(reason), "\(text)")
      }
      _ = try await world.client.call(
        Contract.chooseLink(Self.app, "shop.sites.example", "browser"))
      let (end, text) = try await lsopen(Self.app, Self.url)
      #expect(end == "exited with code 4" && text.contains("the user chose the browser"), "\(text)")
      #expect(browser.heard() == [] && shop.heard() == [])
    }
  }

  @Test("R8.18 R8.23 what the site or the application does not name goes to the browser")
  func bothWays() async throws {
    try await withShop { world, _, _ in
      for url in [
        "https://shop.sites.example/sell", "https://sites.example/buy/1",
        "https://shop.sites.example:8443/buy/1",
      ] {
        #expect(try await world.open(url).handler == "com.example.browser", "\(url)")
      }
      try await world.addAssociationFile(Association.file("com.example.other"))
      #expect(try await world.open(Self.url).handler == "com.example.browser")
      _ = try await world.client.call(Contract.setAssociationFile("shop.sites.example", ""))
      #expect(try await world.open(Self.url).handler == "com.example.browser")
    }
  }

  @Test("A designated application gets the URL as a URL")
  func designated() async throws {
    try await withShop { world, shop, _ in
      _ = try await world.client.open(Self.url, with: Self.app)
      #expect(shop.heard().last == .opened(Self.url))
    }
  }

  @Test("An application that exports org.freedesktop.Application gets the link by Open")
  func freedesktop() async throws {
    try await Testbed.run { world in
      try await world.installPaintBox {
        $0.team = Association.team
        $0.otherKeys["com.apple.developer.associated-domains"] = ["applinks:shop.sites.example"]
      }
      try await world.addAssociationFile(Association.file(BusApplication.identifier))
      let paint = try BusApplication(in: world)
      // By another process: this one is the application, whose own domain it is.
      let opener = try world.startProcess("lsopen", [Self.url])
      #expect(try await opener.hasEnded() == "exited with code 0", "\(opener.lines)")
      #expect(paint.heard == [BusApplication.open(Self.url)])
    }
  }

  @Test("R8.25 the explanation names the component, and applications learn nothing by it (R3.9)")
  func explained() async throws {
    try await withShop { world, shop, _ in
      let explanation = try await world.explain(Self.url)
      #expect(explanation.handler == Self.app)
      #expect(
        explanation.sentence(of: "universal link")
          == "com.example.shop, by applinks:shop.sites.example: details[0].components[0] matches")
      let none = try await world.explain("https://shop.sites.example/sell")
      #expect(
        none.sentence(of: "universal link")?.hasSuffix(
          "no component matches; details[0].components[0] is the last, where the path does not match"
            + " /buy/*") == true)
      _ = try await world.open(Self.url)
      let own = try await shop.explain(Self.url)
      #expect(own.canOpen && own.handler == "" && own.sentence(of: "universal link") == nil)
    }
  }

  @Test("R8.5 a damaged file is refused by name, and the one before counts on")
  func refusedFile() async throws {
    try await withShop { world, _, _ in
      await #expect(throws: Refusal.self) { try await world.addAssociationFile("{") }
      let receipt = try await world.open(Self.url)
      #expect(receipt.handler == Self.app)
    }
  }

  // MARK: The command

  private func lsregister(_ arguments: [String], in world: Testbed) async throws -> (
    String, [String]
  ) {
    let process = try world.startProcess("lsregister", ["links"] + arguments)
    return (try await process.hasEnded(), process.lines)
  }

  @Test("lsregister links: list, choose, dump and remove")
  func command() async throws {
    try await withShop { world, _, _ in
      let domain = "shop.sites.example"
      #expect(
        try await lsregister(["list"], in: world).1 == [
          "com.example.shop  applinks:shop.sites.example  user=unspecified  site=approved  added  -"
        ])
      #expect(
        try await lsregister(["choose", Self.app, domain, "browser"], in: world).0
          == "exited with code 0")
      #expect(try await lsregister([], in: world).1.first?.contains("user=denied") == true)
      #expect(
        try await lsregister(["dump"], in: world).1 == [
          "{ s = applinks, a = TEAM123456.com.example.shop, d = shop.sites.example }:",
          "  details[0].components[0]  / /buy/*",
        ])
      let tried = try await lsregister(["verify", "-d", domain, "-u", "/buy/1"], in: world)
      #expect(tried.0 == "exited with code 0" && tried.1.count == 3)
      #expect(try await lsregister(["remove", domain], in: world).0 == "exited with code 0")
      #expect(try await lsregister(["remove", domain], in: world).0 == "exited with code 4")
      #expect(
        try await lsregister(["refresh"], in: world).1.first?.contains(
          "the setting FetchAssociations is false, so no site is queried") == true)
    }
  }

  @Test("R8.25 lsregister links verify -j needs no daemon and says which component decided")
  func verify() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let path = world.folder + "/aasa.json"
      try Association.file(
        Self.app, #"[{"/":"/buy/old/*","exclude":true},{"/":"/buy/*","?":{"id":"?*"}}]"#
      ).write(toFile: path, atomically: true, encoding: .utf8)
      func verify(_ url: String) async throws -> (String, [String]) {
        try await lsregister(
          ["verify", "-d", "shop.sites.example", "-j", path, "-u", url], in: world)
      }
      let head = "{ s = applinks, a = TEAM123456.com.example.shop, d = shop.sites.example }:"
      let matched = try await verify("https://shop.sites.example/buy/1?id=2")
      #expect(matched.0 == "exited with code 0")
      #expect(
        matched.1 == [
          head, "  Pattern \"https://shop.sites.example/buy/1?id=2\" matched.",
          "    details[0].components[0]: the path does not match /buy/old/*",
          "    details[0].components[1] matches",
        ])
      let blocked = try await verify("/buy/old/1")
      #expect(blocked.0 == "exited with code 1")
      #expect(
        blocked.1 == [
          head, "  Pattern \"/buy/old/1\" blocked match.",
          "    details[0].components[0] matches, and excludes it",
        ])
      #expect(try await verify("/buy/1").1[1] == "  Pattern \"/buy/1\" did not match.")
      #expect(try await verify("https://other.example/").0 == "exited with code 64")
    }
  }
}
