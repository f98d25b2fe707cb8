import LaunchServicesTesting
import Testing

@Suite("Launch and delivery", .timeLimit(.minutes(30)))
struct GateTests {
  /// What the launch methods return, and whether the URL passes.
  struct Vector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let will: Bool?
    let did: Bool?
    let passes: Bool
  }

  static let vectors = [
    Vector(testDescription: "T5.1 true, true", will: true, did: true, passes: true),
    Vector(testDescription: "T5.2 true, false", will: true, did: false, passes: false),
    Vector(testDescription: "T5.3 false, true", will: false, did: true, passes: false),
    Vector(testDescription: "T5.4 false, false", will: false, did: false, passes: false),
    Vector(testDescription: "T5.5 absent, false", will: nil, did: false, passes: false),
    Vector(testDescription: "T5.6 true, absent", will: true, did: nil, passes: true),
    Vector(testDescription: "T5.7 absent, absent", will: nil, did: nil, passes: true),
  ]

  @Test("A delegate application is launched, and its gate decides", arguments: vectors)
  func gate(_ vector: Vector) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"],
        .delegate(will: vector.will, did: vector.did))

      let receipt = try await world.client.open("photos:1")

      #expect(receipt.outcome == (vector.passes ? .deliveredCold : .vetoed))
      let launch: [HandlerEvent] = [
        .started, .checkedIn(.launchOptions(OpenedURL("photos:1"))), .finishing,
      ]
      #expect(photos.heard() == launch + (vector.passes ? [.opened("photos:1")] : []))
      #expect(photos.pids == [receipt.pid])
    }
  }

  @Test("T5.8 a running application has no gate")
  func warm() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .delegate(will: false, did: false))
      #expect(try await world.client.open("photos:1").outcome == .vetoed)
      _ = photos.heard()

      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)

      #expect(photos.heard() == [.opened("photos:2")])
      #expect(photos.pids.count == 1)
    }
  }

  @Test("T5.9 a scene application gets the URL in its connection options, whatever it returns")
  func coldScene() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .scene(will: false, did: false))

      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)

      #expect(
        photos.heard() == [
          .started, .checkedIn(.connectionOptions([OpenedURL("photos:1")])), .finishing,
        ])
    }
  }

  @Test(
    "T5.10 a running scene application gets the URL in openURLContexts",
    arguments: [true, false, nil], [true, false, nil])
  func warmScene(will: Bool?, did: Bool?) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .scene(will: will, did: did))
      _ = try await world.client.open("photos:1")
      _ = photos.heard()

      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)

      #expect(photos.heard() == [.opened("photos:2")])
    }
  }

  @Test("T5.11 without a handler nothing is launched")
  func noHandler() async throws {
    try await Testbed.run { world in
      let other = try await world.install("com.example.other", schemes: ["other"])
      await #expect(
        throws: Refusal(
          "ApplicationNotFound",
          "no application is registered for the scheme photos (OSStatus error -10814)")
      ) { try await world.client.open("photos:1") }
      #expect(other.heard() == [])
    }
  }

  /// The teams of opener and handler, and the source the handler is told.
  struct Teams: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let opener: String?
    let source: String?
  }

  static let teams = [
    Teams(testDescription: "T5.12 another team", opener: "BBBBBBBBBB", source: nil),
    Teams(testDescription: "T5.12 no team", opener: nil, source: nil),
    Teams(
      testDescription: "R5.23 the same team", opener: "AAAAAAAAAA", source: "com.example.opener"),
  ]

  @Test("The source is told within a team only, cold and warm", arguments: teams)
  func source(_ teams: Teams) async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"]) {
        $0.team = "AAAAAAAAAA"
      }
      let opener = try await world.install("com.example.opener", schemes: ["opener"]) {
        $0.team = teams.opener
      }
      _ = try await world.client.open("opener:")

      #expect(try await opener.open("photos:1").outcome.delivery == .delivered)
      #expect(try await opener.open("photos:2").outcome == .deliveredWarm)

      #expect(
        photos.heard() == [
          .started, .checkedIn(.launchOptions(OpenedURL("photos:1", source: teams.source))),
          .finishing, .opened("photos:1", source: teams.source),
          .opened("photos:2", source: teams.source),
        ])
    }
  }

  @Test("R5.9 what the handler answers reaches the opener", arguments: [true, false])
  func handled(_ handled: Bool) async throws {
    try await Testbed.run { world in
      try await world.install(
        "com.example.photos", schemes: ["photos"],
        .delegate(deliveries: [.answer(handled)]))
      #expect(
        try await world.client.open("photos:1").outcome
          == Outcome(.cold, .delivered, handled: handled))
    }
  }
}
