import BusContract
import DBus
import LaunchServicesTesting
import Testing

@Suite("Opening with a chosen application", .timeLimit(.minutes(30)))
struct ChosenHandlerTests {
  @Test("R5.28 the chosen application gets the URL, not the default handler")
  func chosen() async throws {
    try await Testbed.run { world in
      let other = try await world.install("com.example.a", schemes: ["x"])
      let chosen = try await world.install("com.example.b", schemes: ["y"])
      #expect(try await world.client.open("x:1", with: "com.example.b").handler == "com.example.b")
      #expect(chosen.heard().last == .opened("x:1"))
      #expect(other.heard() == [])
    }
  }

  @Test(
    "R3.3 an iOS application chooses nobody, and so does not learn who is installed",
    arguments: ["com.example.photos", "com.example.none"])
  func chosenByApplication(_ wanted: String) async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let caller = try await world.install("com.example.caller", schemes: ["caller"])
      _ = try await world.client.open("caller:1")
      await #expect(
        throws: Refusal(
          "NotPermitted",
          "com.example.caller is an iOS application, which may not choose the handler of a URL"
            + " (OSStatus error -54)")
      ) { try await caller.open("photos:1", with: wanted) }
      #expect(photos.heard() == [])
      // Itself it may choose.
      #expect(
        try await caller.open("caller:2", with: "com.example.caller").outcome == .deliveredWarm)
    }
  }

  @Test("A chosen application that is not registered")
  func unknown() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.a", schemes: ["x"])
      await #expect(
        throws: Refusal(
          "ApplicationNotFound",
          "no application com.example.nobody is registered (OSStatus error -10814)")
      ) { try await world.client.open("x:1", with: "com.example.nobody") }
    }
  }

  @Test("An annotation reaches the handler")
  func annotation() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      var options = OpenOptions()
      options.annotation = .string("from the test")
      _ = try await world.client.open("photos:1", options)
      let url = OpenedURL("photos:1", annotation: "from the test")
      #expect(
        photos.heard() == [.started, .checkedIn(.launchOptions(url)), .finishing, .opened([url])])
    }
  }

  @Test("An application may open its own URLs, and is its own source")
  func own() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.open("photos:1")
      _ = photos.heard()
      #expect(try await photos.open("photos:2").outcome == .deliveredWarm)
      #expect(photos.heard() == [.opened("photos:2", source: "com.example.photos")])
    }
  }
}
