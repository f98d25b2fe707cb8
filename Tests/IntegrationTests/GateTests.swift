import LaunchServicesTesting
import Testing

@Suite("The gate", .timeLimit(.minutes(1)))
struct GateTests {
  @Test("T5.1 delegate") func t51() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .delegate(will: true, did: true))
      let receipt = try await world.client.open("photos:1")
      #expect(receipt.outcome == .init(.cold, .delivered, handled: true))
      #expect(
        photos.heard() == [
          .started, .checkedIn(.launchOptions(OpenedURL("photos:1"))), .finishing,
          .opened("photos:1"),
        ])
    }
  }
}
