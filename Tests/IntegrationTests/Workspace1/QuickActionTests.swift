import LaunchServicesTesting
import Testing

@Suite("Quick actions", .timeLimit(.minutes(30)))
struct QuickActionTests {
  static let identifier = "com.example.iapp"

  @Test("R5.22 cold: the launch options name it, and it is performed when the gate passes")
  func cold() async throws {
    try await Testbed.run { world in
      let application = try await world.install(Self.identifier, schemes: ["iapp"]) {
        $0.shortcutItems = ["iapp://search"]
      }
      let receipt = try await world.client.performQuickAction("iapp://search", of: Self.identifier)
      #expect(receipt.outcome == .deliveredCold)
      #expect(
        application.heard() == [
          .started, .checkedIn(.launchOptions(shortcutItem: "iapp://search")), .finishing,
          .performed("iapp://search"),
        ])
    }
  }

  @Test("R5.22 cold: a launch method that handled it returns false, and it is not performed again")
  func coldHandled() async throws {
    try await Testbed.run { world in
      let application = try await world.install(
        Self.identifier, schemes: ["iapp"], .delegate(will: true, did: false)
      ) { $0.shortcutItems = ["search"] }
      let receipt = try await world.client.performQuickAction("search", of: Self.identifier)
      #expect(receipt.outcome == .deliveredCold)
      #expect(application.heard().last == .finishing)
    }
  }

  @Test(
    "T10.6, R5.22 warm: performed, never opened as a URL, whatever its type looks like",
    arguments: [HandlerScript.delegate(), .scene()])
  func warm(_ script: HandlerScript) async throws {
    try await Testbed.run { world in
      let application = try await world.install(Self.identifier, schemes: ["iapp"], script) {
        $0.shortcutItems = ["iapp://search"]
      }
      _ = try await world.client.open("iapp://rank")
      _ = application.heard()
      let receipt = try await world.client.performQuickAction("iapp://search", of: Self.identifier)
      #expect(receipt.outcome == .deliveredWarm)
      #expect(application.heard() == [.performed("iapp://search")])
    }
  }

  @Test("R5.22 scene, cold: it is in the connection options")
  func scene() async throws {
    try await Testbed.run { world in
      let application = try await world.install(Self.identifier, .scene()) {
        $0.shortcutItems = ["search"]
      }
      let receipt = try await world.client.performQuickAction("search", of: Self.identifier)
      #expect(receipt.outcome == .deliveredCold)
      #expect(
        application.heard() == [
          .started, .checkedIn(.connectionOptions(shortcutItem: "search")), .finishing,
        ])
    }
  }

  @Test("G4: the user info of a static quick action arrives, cold and warm") func userInfo()
    async throws
  {
    try await Testbed.run { world in
      let application = try await world.install(Self.identifier, schemes: ["iapp"]) {
        $0.otherKeys["UIApplicationShortcutItems"] = [
          [
            "UIApplicationShortcutItemType": "region",
            "UIApplicationShortcutItemTitle": "China",
            "UIApplicationShortcutItemUserInfo": ["region": "cn", "查询": "排行"],
          ]
        ]
      }
      let userInfo = ["region": "cn", "查询": "排行"]
      _ = try await world.client.performQuickAction("region", of: Self.identifier)
      #expect(
        application.heard() == [
          .started,
          .checkedIn(
            .launchOptions(shortcutItem: "region", hints: LaunchHints(userInfo: userInfo))),
          .finishing, .performed("region", userInfo: userInfo),
        ])
      _ = try await world.client.performQuickAction("region", of: Self.identifier)
      #expect(application.heard() == [.performed("region", userInfo: userInfo)])
    }
  }

  @Test("A type that the application does not have is an error that names those it has")
  func unknownType() async throws {
    try await Testbed.run { world in
      let application = try await world.install(Self.identifier, schemes: ["iapp"]) {
        $0.shortcutItems = ["search", "rank"]
      }
      let bare = try await world.install("com.example.bare")
      for (identifier, has) in [(Self.identifier, "search, rank"), ("com.example.bare", "none")] {
        await #expect(
          throws: Refusal(
            "org.freedesktop.DBus.Error.InvalidArgs",
            "type: \(identifier) has no quick action 'iapp://search'; it has \(has)")
        ) { try await world.client.performQuickAction("iapp://search", of: identifier) }
      }
      #expect(application.heard() == [])
      #expect(bare.heard() == [])
    }
  }

  @Test("lsopen --quick-action performs one, and says what there is when it is none of them")
  func command() async throws {
    try await Testbed.run { world in
      let application = try await world.install(Self.identifier) {
        $0.shortcutItems = ["iapp://search"]
      }
      let good = try world.startProcess(
        "lsopen", ["--quick-action", Self.identifier, "iapp://search"])
      #expect(try await good.hasEnded() == "exited with code 0")
      #expect(application.heard().last == .performed("iapp://search"))
      let bad = try world.startProcess("lsopen", ["--quick-action", Self.identifier, "search"])
      #expect(try await bad.hasEnded() == "exited with code 4")
      #expect(
        bad.lines == [
          "lsopen: type: com.example.iapp has no quick action 'search'; it has iapp://search"
        ])
    }
  }
}
