import BusContract
import LaunchServicesTesting
import Testing

@Suite("Check-in", .timeLimit(.minutes(30)))
struct CheckInTests {
  static let identifier = "com.example.photos"

  @Test("A second check-in is refused and changes nothing")
  func twice() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        .launching(.checkIn(), .checkIn(), .finishLaunching()))
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      let pid = try #require(photos.pids.first)
      #expect(
        photos.heard() == [
          .started, .checkedIn(.launchOptions(OpenedURL("photos:1"))),
          .checkInRefused(
            Refusal("AlreadyRunning", "\(Self.identifier) runs already, as process \(pid)")),
          .finishing, .opened("photos:1"),
        ])
    }
  }

  @Test("A token that was never given out is refused")
  func madeUpToken() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"], .launching(.checkIn(.madeUp("guessed")), .exit(1)))
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(Self.identifier) ended while launching: exited with code 1 (OSStatus error -600)")
      ) { try await world.client.open("photos:1") }
      #expect(
        photos.heard() == [
          .started,
          .checkInRefused(Refusal("NotPermitted", "the token is unknown or was used before")),
        ])
      let line = try await world.daemon.line(containing: "a check-in was refused")
      #expect(line.hasSuffix("reason=\"the token is unknown or was used before\""))
    }
  }

  @Test("A stolen token is refused, and stays good for the process it was given to")
  func stolenToken() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        .launching(.report, .wait, .checkIn(), .finishLaunching()))
      let open = world.client.opening("photos:1")
      _ = try await photos.next()
      guard case .facts(let facts) = try await photos.next() else {
        Issue.record("the process told nothing")
        return
      }
      let token = try #require(facts.environment[Contract.tokenVariable])
      await #expect(throws: Refusal("NotPermitted", "the token was given to another process")) {
        try await world.client.call(Contract.checkIn(CheckInOptions(token: token)))
      }
      try await photos.go()
      #expect(try await open.receipt().outcome == .deliveredCold)
    }
  }

  @Test("An application that was started by hand is recognised by its executable")
  func startedByHand() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        .launching(.checkIn(.identifier(Self.identifier)), .finishLaunching()))
      let process = try world.start(photos)
      try await photos.next(.finishing)

      let receipt = try await world.client.open("photos:1")

      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == process.pid)
      #expect(photos.heard() == [.opened("photos:1")])
    }
  }

  @Test("An executable is not believed when it says that it is another application")
  func impostor() async throws {
    try await Testbed.run { world in
      try await world.install(Self.identifier, schemes: ["photos"])
      let impostor = try await world.install(
        "com.example.impostor", .launching(.checkIn(.identifier(Self.identifier))))
      try world.start(impostor)
      #expect(try await impostor.next() == .started)
      #expect(
        try await impostor.next()
          == .checkInRefused(
            Refusal(
              "NotPermitted",
              "the caller is com.example.impostor (its executable belongs to the application), so it"
                + " cannot check in as \(Self.identifier)")))
    }
  }

  @Test("R5.36 an application that runs cannot be started by hand a second time")
  func secondInstance() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"])
      let first = try await world.client.open("photos:1").pid
      _ = photos.heard()
      photos.script = .launching(.checkIn(.identifier(Self.identifier)))
      try world.start(photos)
      #expect(try await photos.next() == .started)
      #expect(
        try await photos.next()
          == .checkInRefused(
            Refusal("AlreadyRunning", "\(Self.identifier) runs already, as process \(first)")))
    }
  }

  @Test("FinishLaunching without a check-in is refused")
  func finishWithoutCheckIn() async throws {
    try await Testbed.run { world in
      await #expect(throws: Refusal("NotPermitted", "call CheckIn before FinishLaunching")) {
        try await world.client.call(Contract.finishLaunching(will: true, did: true))
      }
    }
  }

  @Test("An application that is not registered cannot check in, even when check-ins are believed")
  func notRegistered() async throws {
    try await Testbed.run(["--allow-unverified-check-in"]) { world in
      await #expect(
        throws: Refusal(
          "NotRegistered",
          "no application com.example.nobody is registered; register it with: lsregister add PATH")
      ) {
        try await world.client.call(
          Contract.checkIn(CheckInOptions(bundleIdentifier: "com.example.nobody")))
      }
    }
  }
}
