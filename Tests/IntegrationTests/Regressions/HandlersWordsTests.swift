import BusContract
import DBus
import LaunchServicesTesting
import Testing

/// A handler that refused a URL and named it in its reason put the URL's query into the log and the
/// record.
@MainActor @Suite("The words of a handler that refuses", .timeLimit(.minutes(30)))
struct HandlersWordsTests {
  private static let photos = "com.example.photos"

  private func detail(in world: Testbed) async throws -> Value? {
    try await world.client.call(Contract.history(HistoryOptions())).first?.asOptionsList?.first?[
      "detail"]
  }

  private func refusal(_ words: String) -> Refusal {
    Refusal(
      "HandlerRefused",
      "\(Self.photos) refused the delivery: \(words) (OSStatus"
        + " error -10810)")
  }

  @Test(
    "reach the opener, but neither log nor record when the URL may contain secrets",
    arguments: ["photos:1?code=secret", "photos:1#secret"])
  func secret(_ url: String) async throws {
    try await Testbed.run { world in
      try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.refuse("cannot open \(url)")]))
      await #expect(throws: refusal("cannot open \(url)")) { try await world.client.open(url) }
      #expect(
        try await detail(in: world)
          == .string("\(Self.photos) refused the delivery (OSStatus error -10810)"))
      try await world.daemon.line(containing: "refused the delivery")
      #expect(world.daemon.lines.filter { $0.contains("secret") } == [])
    }
  }

  /// A handler that refused with 30 MB had them recorded, and others waited for 3 s.
  @Test("are cut in the middle when they are long, for the opener and in the record")
  func long() async throws {
    try await Testbed.run { world in
      let words = "no" + String(repeating: "x", count: 7000) + "room"
      try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.refuse(words)]))
      let cut =
        "no" + String(repeating: "x", count: 3070) + "…" + String(repeating: "x", count: 1020)
        + "room"
      await #expect(throws: refusal(cut)) { try await world.client.open("photos:1") }
      #expect(try await detail(in: world) == .string(refusal(cut).text))
    }
  }

  @Test("reach log and record when it holds none") func harmless() async throws {
    try await Testbed.run { world in
      try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.refuse("no room")]))
      let refusal = refusal("no room")
      await #expect(throws: refusal) { try await world.client.open("photos:1") }
      #expect(try await detail(in: world) == .string(refusal.text))
      try await world.daemon.line(containing: "no room")
    }
  }
}
