import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor @Suite("Confirmations by notification", .timeLimit(.minutes(30)))
struct NotificationTests {
  private func asking(
    _ body: (Testbed, TestNotifications, Opening) async throws -> Void
  ) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let desktop = try TestNotifications(address: address)
      let open = world.client.opening("facetime:a&b@example.com")
      #expect(
        try await desktop.isShown()
          == .init(
            summary:
              "Let a program start a FaceTime call to a&b@example.com with com.example.calls?",
            body: "facetime:a&amp;b@example.com",
            actions: ["allow", "Open", "deny", "Cancel"]))
      try await body(world, desktop, open)
    }
  }

  @Test(
    "D7: neither the question nor the URL below it has invisible characters",
    arguments: [
      ("%E2%80%AE", " "), ("%E2%80%8B", " "), ("%C2%AD", " "), ("a%EF%BB%BF", "a "),
      ("%E2%81%A6", " "), ("%F3%A0%81%81", " "),
    ])
  func invisible(_ encoded: String, _ visible: String) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let desktop = try TestNotifications(address: address)
      let open = world.client.opening("facetime:\(encoded)x@example.com")
      let shown = try await desktop.isShown()
      #expect(
        shown
          == .init(
            summary:
              "Let a program start a FaceTime call to \(visible)x@example.com with com.example.calls?",
            body: "facetime:\(visible)x@example.com", actions: ["allow", "Open", "deny", "Cancel"]))
      desktop.press("deny")
      await #expect(throws: Refusal.self) { try await open.receipt() }
    }
  }

  @Test("D7: the URL below the question has all of the longest number") func longNumber()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let desktop = try TestNotifications(address: address)
      let url = "facetime:" + String(repeating: "1234567890", count: 10)
      let open = world.client.opening(url)
      #expect(try await desktop.isShown().body == url)
      desktop.press("deny")
      await #expect(throws: Refusal.self) { try await open.receipt() }
    }
  }

  @Test("D2: a button that is not offered is a no") func notOffered() async throws {
    try await asking { _, desktop, open in
      desktop.press("always")
      let refusal = await #expect(throws: Refusal.self) { try await open.receipt() }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
    }
  }

  @Test("Its button decides") func button() async throws {
    try await asking { _, desktop, open in
      desktop.press("allow")
      #expect(try await open.receipt().outcome == .deliveredCold)
      try await desktop.isClosed()
    }
  }

  @Test("One that is closed is a no") func closed() async throws {
    try await asking { _, desktop, open in
      desktop.press(nil)
      let refusal = await #expect(throws: Refusal.self) { try await open.receipt() }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
    }
  }

  @Test("Nobody but the desktop presses a button") func forged() async throws {
    try await asking { world, desktop, open in
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let forger = try Connection(address: address)
      forger.send(TestNotifications.signal(1, "allow", to: Contract.busName))
      // When this has been answered, the daemon has heard the signal.
      _ = try forger.callAndWait(Contract.ping())
      #expect(!open.isAnswered)
      desktop.press("deny")
      let refusal = await #expect(throws: Refusal.self) { try await open.receipt() }
      #expect(refusal?.name == Refusal("ConfirmationDeclined", "").name)
    }
  }

  @Test("It is asked when the agent leaves, and closed when the opener cancels")
  func afterAgent() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let desktop = try TestNotifications(address: address)
      let agent = try await world.confirmationAgent()
      var options = OpenOptions()
      options.cancellationID = "mine"
      let open = world.client.opening("facetime:a@b.example", options)
      _ = try await agent.isAsked()
      agent.leave()
      _ = try await desktop.isShown()
      try await world.client.cancelOpen("mine")
      try await desktop.isClosed()
      let refusal = await #expect(throws: Refusal.self) { try await open.receipt() }
      #expect(refusal?.name == Refusal("Cancelled", "").name)
    }
  }

  @Test("A desktop that goes away is not waited for") func gone() async throws {
    try await asking { _, desktop, open in
      desktop.leave()
      let refusal = await #expect(throws: Refusal.self) { try await open.receipt() }
      #expect(refusal?.text.contains("the notification service has left the bus") == true)
    }
  }

  @Test("An application that shows notifications is not believed") func application() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let evil = try await world.install(
        "com.example.evil", schemes: ["evil"],
        .launching(.checkIn(), .finishLaunching(), .own("org.freedesktop.Notifications")))
      _ = try await world.client.open("evil:1")
      _ = evil.heard()
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("facetime:a@b.example")
      }
      #expect(
        refusal?.text.contains(
          "the owner of org.freedesktop.Notifications is a registered application") == true,
        "\(refusal as Any)")
    }
  }

  @Test("D9: a missing system application is told with a notification") func missing() async throws
  {
    try await Testbed.run { world in
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let desktop = try TestNotifications(address: address)
      _ = await #expect(throws: Refusal.self) {
        try await world.client.open("mailto:a@b.example?subject=secret")
      }
      #expect(
        try await desktop.isShown()
          == .init(
            summary: "Mail is not installed",
            body: "Mail is not installed, and no application is registered for the scheme mailto;"
              + " install org.launchservices.system.Mail or an application that claims mailto",
            actions: []))
    }
  }

  @Test("D9: the notification about a missing application is not repeated at once")
  func missingAgain() async throws {
    try await Testbed.run { world in
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let desktop = try TestNotifications(address: address)
      for url in ["mailto:a@b.example", "mailto:c@b.example", "tel:1"] {
        _ = await #expect(throws: Refusal.self) { try await world.client.open(url) }
      }
      #expect(try await desktop.isShown().summary == "Mail is not installed")
      #expect(try await desktop.isShown().summary == "Phone is not installed")
    }
  }

  @Test("A desktop without buttons is not asked") func noButtons() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.calls", schemes: ["facetime"])
      let address = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let desktop = try TestNotifications(address: address, capabilities: ["body"])
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("facetime:a@b.example")
      }
      #expect(
        refusal?.text.contains(
          "the notification service of this desktop does not support"
            + " buttons") == true)
      withExtendedLifetime(desktop) {}
    }
  }
}
