import LaunchServicesTesting
import Testing

/// The opener of a URL learns what went wrong with its handler, and the next open starts afresh.
@Suite("Faults of handlers", .timeLimit(.minutes(30)))
struct HandlerFaultTests {
  static let identifier = "com.example.photos"

  /// What a handler does, and what its opener is told.
  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let script: HandlerScript
    var options: [String] = []
    let refusal: Refusal

    init(
      _ testDescription: String, _ script: HandlerScript, options: [String] = [], _ name: String,
      _ text: String
    ) {
      self.testDescription = testDescription
      self.script = script
      self.options = options
      refusal = Refusal(name, "\(identifier) \(text)")
    }
  }

  static let faults = [
    Fault(
      "exits before it checks in", .launching(.exit(3)),
      "HandlerExited", "ended while launching: exited with code 3 (OSStatus error -600)"),
    Fault(
      "crashes before it checks in", .launching(.crash),
      "HandlerExited",
      "ended while launching: was ended by SIGKILL (signal 9) (OSStatus error -600)"),
    Fault(
      "exits between check-in and the end of its launch", .launching(.checkIn(), .exit(0)),
      "HandlerExited", "ended while launching: exited with code 0 (OSStatus error -600)"),
    Fault(
      "never checks in", .launching(), options: ["--launch-timeout", "1"],
      "LaunchTimedOut", "did not check in within 1 s (OSStatus error -1712)"),
    Fault(
      "never finishes launching", .launching(.checkIn()), options: ["--launch-timeout", "1"],
      "LaunchTimedOut", "did not call FinishLaunching within 1 s (OSStatus error -1712)"),
    Fault(
      "leaves the bus before it has finished launching", .launching(.checkIn(), .leaveBus),
      "HandlerExited",
      "ended while launching: it left the bus, and was ended by SIGTERM (signal 15)"
        + " (OSStatus error -600)"),
    Fault(
      "leaves the bus instead of answering", .delegate(deliveries: [.leaveBus]),
      "HandlerExited",
      "ended before it acknowledged the delivery: it left the bus, and was ended by SIGTERM"
        + " (signal 15) (OSStatus error -600)"),
    Fault(
      "exits instead of answering", .delegate(deliveries: [.exit(4)]),
      "HandlerExited",
      "ended before it acknowledged the delivery: exited with code 4 (OSStatus error -600)"),
    Fault(
      "crashes instead of answering", .delegate(deliveries: [.crash]),
      "HandlerExited",
      "ended before it acknowledged the delivery: was ended by SIGKILL (signal 9)"
        + " (OSStatus error -600)"),
    Fault(
      "leaves the bus and ignores SIGTERM",
      .launching(.ignoreTermination, .checkIn(), .leaveBus),
      "HandlerExited",
      "ended while launching: it left the bus, and was ended by SIGKILL (signal 9)"
        + " (OSStatus error -600)"),
    Fault(
      "never answers", .delegate(deliveries: []), options: ["--delivery-timeout", "1"],
      "HandlerTimedOut", "did not answer the delivery within 1 s (OSStatus error -1712)"),
  ]

  @Test("A handler that", arguments: faults)
  func fault(_ fault: Fault) async throws {
    try await Testbed.run(fault.options) { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"], fault.script)
      await #expect(throws: fault.refusal) { try await world.client.open("photos:1") }
      photos.script = .delegate()
      _ = photos.heard()

      let receipt = try await world.client.open("photos:2")

      #expect(receipt.outcome == .deliveredCold)
      #expect(photos.pids.count == 2)
      #expect(
        photos.heard() == [
          .started, .checkedIn(.launchOptions(OpenedURL("photos:2"))), .finishing,
          .opened("photos:2"),
        ])
    }
  }

  @Test("A handler that refuses a URL goes on, and gets the next one")
  func refuses() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        .delegate(deliveries: [.refuse("not today")], [.answer(true)]))
      await #expect(
        throws: Refusal(
          "HandlerRefused",
          "\(Self.identifier) refused the delivery: not today"
            + " (OSStatus error -10810)")
      ) { try await world.client.open("photos:1") }
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
      #expect(photos.pids.count == 1)
    }
  }

  @Test("A handler that ends after its answer is started again for the next URL")
  func endsAfterwards() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        .delegate(deliveries: [.answer(true), .exit(0)]))
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      try await photos.hasLeftTheBus()
      #expect(try await world.client.open("photos:2").outcome == .deliveredCold)
      #expect(photos.pids.count == 2)
    }
  }

  @Test("A handler that forks and leaves has ended, and what it left behind is not believed")
  func forksAndLeaves() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        .launching(.forkAndLeave, .wait, .checkIn(), .finishLaunching()))
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(Self.identifier) ended while launching: exited with code 0 (OSStatus error -600)")
      ) { try await world.client.open("photos:1") }
      try await photos.isWaiting()
      try await photos.go()
      try await photos.next(
        .checkInRefused(Refusal("NotPermitted", "the token is unknown or was used before")))
      photos.script = .delegate()
      #expect(try await world.client.open("photos:2").outcome == .deliveredCold)
    }
  }

  @Test("R1.13 an executable that is missing, until it is installed")
  func missingExecutable() async throws {
    try await Testbed.run { world in
      let broken = try await world.install(Self.identifier, schemes: ["photos"]) {
        $0.executable = .missing
      }
      await #expect(
        throws: Refusal(
          "NoExecutable",
          "the executable of \(Self.identifier) is missing: \(broken.path)/program"
            + " (OSStatus error -10827)")
      ) { try await world.client.open("photos:1") }
      try await world.install(Self.identifier, schemes: ["photos"])
      #expect(try await world.client.open("photos:2").outcome == .deliveredCold)
    }
  }

  @Test("An executable that may not be run, until it may")
  func executableWithoutPermission() async throws {
    try await Testbed.run { world in
      let broken = try await world.install(Self.identifier, schemes: ["photos"]) {
        $0.executable = .file("#!/bin/sh\n", permissions: 0o644)
      }
      await #expect(
        throws: Refusal(
          "LaunchFailed",
          "\(broken.path)/program: cannot run it: Permission denied (error 13)"
            + " (OSStatus error -10810)")
      ) { try await world.client.open("photos:1") }
      try await world.install(Self.identifier, schemes: ["photos"])
      #expect(try await world.client.open("photos:2").outcome == .deliveredCold)
    }
  }

  @Test("When a handler crashes, the URLs behind the one it had go to the next process")
  func crashWithOthersWaiting() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"], .delegate(deliveries: [.wait, .crash]))
      let opens = (1...3).map { world.client.opening("photos:\($0)") }
      try await photos.isWaiting()
      photos.script = .delegate()
      try await photos.go()
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(Self.identifier) ended before it acknowledged the delivery: was ended by SIGKILL"
            + " (signal 9) (OSStatus error -600)")
      ) { try await opens[0].receipt() }
      #expect(try await opens[1].receipt().outcome == .deliveredCold)
      #expect(try await opens[2].receipt().outcome == .deliveredWarm)
      #expect(photos.pids.count == 2)
    }
  }
}
