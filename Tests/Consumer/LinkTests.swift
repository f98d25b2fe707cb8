import LaunchServicesTesting
import Testing

@Suite struct LinkTests {
  @Test func albumOpens() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let cold = try await world.client.open("photos:album/7")
      #expect(cold.outcome == .init(.cold, .delivered, handled: true))
      #expect(photos.heard().last == .opened("photos:album/7"))
      let warm = try await world.client.open("photos:album/8")
      #expect(warm.outcome == .init(.warm, .delivered, handled: true))
      #expect(warm.pid == cold.pid)
      #expect(photos.heard().last == .opened("photos:album/8"))
    }
  }

  @Test func launchMethodThatReturnsFalseRefusesTheLink() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"], .delegate(did: false))
      let receipt = try await world.client.open("photos:1")
      #expect(receipt.outcome == .init(.cold, .vetoed, handled: false))
    }
  }

  @Test func allowlist() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.maps", schemes: ["maps"], queries: ["photos"])
      #expect(try await world.client.canOpen("photos:1", as: "com.example.maps"))
      #expect(try await !world.client.canOpen("maps:1", as: "com.example.photos"))
    }
  }

  @Test func reservedScheme() async throws {
    try await Testbed.run(withSystemApplications: true) { world in
      try await world.install("com.example.dialer", schemes: ["tel"])
      let receipt = try await world.client.open("tel:+15550100")
      #expect(receipt.handler == "org.launchservices.system.Phone")
    }
  }

  @Test func scene() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"], .scene())
      let receipt = try await world.client.open("photos:1")
      #expect(receipt.outcome == .init(.cold, .delivered, handled: true))
    }
  }

  @Test func linkWithoutApplication() async throws {
    try await Testbed.run { world in
      let refusal = await #expect(throws: Refusal.self) {
        try await world.client.open("photos:1")
      }
      #expect(refusal?.name == "org.launchservices.Error.ApplicationNotFound")
    }
  }
}
