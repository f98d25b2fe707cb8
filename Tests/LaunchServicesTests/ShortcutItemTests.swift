import BusContract
import DBus
import LaunchServicesTesting
import Testing

@testable import LaunchServices

@MainActor @Suite("Dynamic quick actions of an application", .timeLimit(.minutes(30)))
struct ShortcutItemTests {
  static let item = ApplicationShortcutItem(
    type: "open", localizedTitle: "Vacation", localizedSubtitle: "12 photos",
    icon: ApplicationShortcutIcon(systemImageName: "photo"),
    userInfo: [
      "album": "Vacation", "photos": [1, 2.5] as [Any], "shared": true, "more": ["a": "b"],
    ])

  @Test("R1.39 an item keeps what it was made with, and leaves out what cannot be kept")
  func item() {
    let item = Self.item
    #expect(item.type == "open")
    #expect(item.localizedTitle == "Vacation")
    #expect(item.localizedSubtitle == "12 photos")
    #expect(item.icon == ApplicationShortcutIcon(templateImageName: "photo"))
    #expect(item.userInfo?["album"] as? String == "Vacation")
    #expect((item.userInfo?["photos"] as? [Any])?.first as? Int == 1)
    #expect((item.userInfo?["photos"] as? [Any])?.last as? Double == 2.5)
    #expect(item.userInfo?["shared"] as? Bool == true)
    #expect(item.userInfo?["more"] as? [String: String] == ["a": "b"])
    #expect(
      ApplicationShortcutItem(type: "t", userInfo: ["k": Double.nan, "x": item])
        == ApplicationShortcutItem(type: "t", localizedTitle: "t"))
  }

  @Test("They are set at the daemon, and a later process of the application finds them")
  func set() async throws {
    try await Testbed.run(["--allow-unverified-check-in"]) { world in
      // All connections of this process are then the application's, which is to ask the registry.
      try await world.install("com.example.photos") { $0.sdk = "macosx26.0" }
      let address = world.environment["DBUS_SESSION_BUS_ADDRESS"]
      let client = try TestClient(address: address)
      let checkIn = Contract.checkIn(CheckInOptions(bundleIdentifier: "com.example.photos"))
      let application = Application()
      application.service.use(client.session)
      application.takeShortcutItems(try await client.call(checkIn).first?.asOptions ?? [:])
      #expect(application.shortcutItems == nil)

      application.shortcutItems = [Self.item]
      // Its answer comes after that of the call before.
      _ = try await client.call(Contract.ping())
      #expect(application.shortcutItems == [Self.item])

      try await world.restartDaemon(["--allow-unverified-check-in"])
      let later = Application()
      later.takeShortcutItems(try await client.call(checkIn).first?.asOptions ?? [:])
      #expect(later.shortcutItems == [Self.item])
      later.service.use(client.session)
      later.shortcutItems = nil
      _ = try await client.call(Contract.ping())
      let entry = try await world.client.entry(of: "com.example.photos")
      #expect(entry?["shortcut-items"] == .array(of: "(ss)", []))
    }
  }

  @Test("What the daemon refuses changes nothing")
  func refused() async throws {
    try await Testbed.run { world in
      let client = try TestClient(address: world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let application = Application()
      application.service.use(client.session)
      application.shortcutItems = [Self.item]
      _ = try await client.call(Contract.ping())
      #expect(application.shortcutItems == nil)
    }
  }
}
