import BusContract
import DBus
import LaunchServicesTesting
import Testing

/// An iOS application learned from the receipt of an open, or from the error, who handles a scheme.
@MainActor @Suite("Attack: what an opener learns", .timeLimit(.minutes(30)))
struct AttackReceiptTests {
  private static func opener(
    _ world: Testbed, _ profile: Profile
  ) async throws -> ScriptedHandler {
    let opener = try await world.install("com.example.opener", schemes: ["opener"]) {
      $0.sdk = profile.rawValue
    }
    _ = try await world.client.open("opener:1")
    return opener
  }

  @Test("An iOS application learns that its URL was delivered, and not to whom")
  func receipt() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let opener = try await Self.opener(world, .iOS)
      for name in [nil, "named", "named"] {
        let receipt = try await opener.open("photos:1", requestID: name)
        #expect(receipt.handler == "" && receipt.pid == 0 && receipt.trail == [])
        #expect(receipt.outcome == .deliveredWarm)
        #expect(receipt.request > 0)
      }
      #expect(photos.pids.count == 1)
      #expect(photos.heard().filter { $0 == .opened("photos:1") }.count == 2)
    }
  }

  @Test("Others are told: applications of macOS, and programs") func others() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let opener = try await Self.opener(world, .macOS)
      let receipt = try await opener.open("photos:1")
      #expect(receipt.handler == "com.example.photos" && receipt.pid == photos.pids.last)
      #expect(try await world.client.open("photos:2").handler == "com.example.photos")
    }
  }

  @Test("An iOS application learns that an open failed, and not whose fault that was")
  func failures() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>CollisionPolicy</key><string>ambiguous-is-error</string>")
      try await world.startDaemon()
      let opener = try await Self.opener(world, .iOS)
      try await world.install("com.example.secret1", schemes: ["crash"], .launching(.crash))
      try await world.install("com.example.secret2", schemes: ["broken"]) {
        $0.executable = .missing
      }
      for number in 3...4 {
        try await world.install("com.example.secret\(number)", schemes: ["both"])
      }
      for (scheme, name) in [
        ("crash", "HandlerExited"), ("broken", "NoExecutable"), ("both", "AmbiguousHandler"),
      ] {
        for id in [nil, "id-\(scheme)", "id-\(scheme)"] {
          let refusal = await #expect(throws: Refusal.self) {
            try await opener.open("\(scheme):1", requestID: id)
          }
          #expect(refusal?.name.hasSuffix(name) == true, "\(String(describing: refusal))")
          #expect(refusal?.text.contains("secret") == false, "\(String(describing: refusal))")
        }
        let all = await #expect(throws: Refusal.self) { try await world.client.open("\(scheme):1") }
        #expect(all?.text.contains("secret") == true, "\(String(describing: all))")
      }
    }
  }
}
