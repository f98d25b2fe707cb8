import LaunchServicesTesting
import Testing

@Suite("Quick actions", .timeLimit(.minutes(1)))
struct QuickActionTests {
  static let identifier = "com.example.iapp"

  @Test("R5.22 cold: the launch options name it, and it is performed when the gate passes")
  func cold() async throws {
    try await Testbed.run { world in
      let application = try await world.install(Self.identifier, schemes: ["iapp"])
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
        Self.identifier, schemes: ["iapp"], .delegate(will: true, did: false))
      let receipt = try await world.client.performQuickAction("search", of: Self.identifier)
      #expect(receipt.outcome == .deliveredCold)
      #expect(application.heard().last == .finishing)
    }
  }

  @Test("T10.6 warm: performed, never opened as a URL, whatever its type looks like")
  func warm() async throws {
    try await Testbed.run { world in
      let application = try await world.install(Self.identifier, schemes: ["iapp"])
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
      let application = try await world.install(Self.identifier, .scene())
      let receipt = try await world.client.performQuickAction("search", of: Self.identifier)
      #expect(receipt.outcome == .deliveredCold)
      #expect(
        application.heard() == [
          .started, .checkedIn(.connectionOptions(shortcutItem: "search")), .finishing,
        ])
    }
  }
}
