import BusContract
import LaunchServicesTesting
import Testing

@Suite("Opens that wait", .timeLimit(.minutes(30)))
struct LaunchQueueTests {
  static let identifier = "com.example.photos"
  static let slow = HandlerScript.launching(.wait, .checkIn(), .finishLaunching())

  @Test("Opens that arrive while the handler starts are delivered once each and in order")
  func order() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.slow)
      let opens = (0..<100).map { world.client.opening("photos:\($0)") }
      try await photos.isWaiting()
      #expect(opens.allSatisfy { !$0.isAnswered })
      try await photos.go()

      for (index, open) in opens.enumerated() {
        #expect(try await open.receipt().outcome == (index == 0 ? .deliveredCold : .deliveredWarm))
      }

      let launch: [HandlerEvent] = [
        .started, .checkedIn(.launchOptions(OpenedURL("photos:0"))), .finishing,
      ]
      #expect(photos.heard() == launch + (0..<100).map { .opened("photos:\($0)") })
    }
  }

  @Test("While a running handler has not answered, the next URLs wait")
  func oneAtATime() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        .delegate(deliveries: [.answer(true)], [.wait, .answer(true)], [.answer(true)]))
      _ = try await world.client.open("photos:0")
      _ = photos.heard()
      let first = world.client.opening("photos:1")
      try await photos.isWaiting()
      let others = (2...9).map { world.client.opening("photos:\($0)") }
      // An answer to this comes after the daemon has accepted them.
      _ = try await world.client.explain("photos:")
      #expect(photos.heard() == [.opened("photos:1")])

      try await photos.go()

      #expect(try await first.receipt().outcome == .deliveredWarm)
      for open in others { #expect(try await open.receipt().outcome == .deliveredWarm) }
      #expect(photos.heard() == (2...9).map { .opened("photos:\($0)") })
    }
  }

  @Test("A veto drops only the URL that launched the application")
  func veto() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        .launching(.wait, .checkIn(), .finishLaunching(will: true, did: false)))
      let opens = (1...2).map { world.client.opening("photos:\($0)") }
      try await photos.go()
      #expect(try await opens[0].receipt().outcome == .vetoed)
      #expect(try await opens[1].receipt().outcome == .deliveredWarm)
      #expect(photos.heard().last == .opened("photos:2"))
    }
  }

  @Test("A cancelled open is not delivered, and those behind it are")
  func cancel() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.slow)
      let first = world.client.opening("photos:1")
      var options = OpenOptions()
      options.cancellationID = "mine"
      let second = world.client.opening("photos:2", options)
      let third = world.client.opening("photos:3")

      #expect(try await !world.client.cancelOpen("mine"))
      await #expect(
        throws: Refusal(
          "Cancelled",
          "the open request was cancelled before it was delivered; com.example.photos has not checked in"
            + " (OSStatus error -128)")
      ) { try await second.receipt() }
      try await photos.go()

      #expect(try await first.receipt().outcome == .deliveredCold)
      #expect(try await third.receipt().outcome == .deliveredWarm)
      #expect(photos.heard().suffix(2) == [.opened("photos:1"), .opened("photos:3")])
    }
  }

  @Test("Who cancels too late is told that the application had been given it")
  func cancelTooLate() async throws {
    try await Testbed.run { world in
      let script = HandlerScript(
        launch: [.checkIn(), .finishLaunching()], deliveries: [[.wait, .answer(true)]])
      let photos = try await world.install(Self.identifier, schemes: ["photos"], script)
      var options = OpenOptions()
      options.cancellationID = "mine"
      let open = world.client.opening("photos:1", options)
      try await photos.isWaiting()
      #expect(try await world.client.cancelOpen("mine"))
      await #expect(
        throws: Refusal(
          "Cancelled",
          "cancelled, but com.example.photos had already received the URL (OSStatus error -128)")
      ) { try await open.receipt() }
      try await photos.go()
    }
  }

  @Test("Who gives up on a handler that never calls FinishLaunching is told that")
  func withoutFinishLaunching() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"], .launching(.checkIn(), .wait, .finishLaunching()))
      let first = world.client.opening("photos:1")
      try await photos.isWaiting()
      let lsopen = try world.startProcess("lsopen", ["--timeout", "1", "photos:2"])
      #expect(try await lsopen.hasEnded() == "exited with code 4")
      #expect(
        lsopen.lines == [
          "lsopen: the time given with --timeout is over: the open request was cancelled before it was"
            + " delivered; com.example.photos has not called FinishLaunching (OSStatus error -128)"
        ])
      try await photos.go()
      #expect(try await first.receipt().outcome == .deliveredCold)
    }
  }

  @Test("Who repeats an open cancels its own wait, and the open when nobody else waits for it")
  func cancelJoined() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.slow)
      let other = try await world.newClient()
      var options = OpenOptions()
      options.requestID = "one"
      options.cancellationID = "first"
      let first = world.client.opening("photos:1", options)
      try await photos.isWaiting()
      options.cancellationID = "second"
      let second = other.opening("photos:1", options)
      #expect(try await !other.cancelOpen("second"))
      let goesOn = Refusal(
        "Cancelled",
        "this call was cancelled; another call waits for the open, so the open continues (OSStatus error -128)"
      )
      await #expect(throws: goesOn) { try await second.receipt() }
      #expect(!first.isAnswered)

      let third = other.opening("photos:1", options)
      try await other.ping()
      #expect(try await !world.client.cancelOpen("first"))
      await #expect(throws: goesOn) { try await first.receipt() }
      #expect(!third.isAnswered)

      #expect(try await !other.cancelOpen("second"))
      await #expect(
        throws: Refusal(
          "Cancelled",
          "the open request was cancelled before it was delivered; com.example.photos has not checked in"
            + " (OSStatus error -128)")
      ) { try await third.receipt() }
      let last = world.client.opening("photos:2")
      try await photos.go()
      #expect(try await last.receipt().outcome.delivery == .delivered)
      #expect(!photos.heard().contains(.opened("photos:1")))
    }
  }

  @Test("Who asks again on another connection cancels the open: nobody waits on the first one")
  func cancelAfterReconnecting() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.slow)
      let gone = try await world.newClient()
      var options = OpenOptions()
      options.requestID = "one"
      options.cancellationID = "mine"
      let first = gone.opening("photos:1", options)
      try await photos.isWaiting()
      try await world.disconnect(gone)
      await #expect(throws: Refusal.self) { try await first.receipt() }

      let again = world.client.opening("photos:1", options)
      #expect(try await !world.client.cancelOpen("mine"))
      await #expect(
        throws: Refusal(
          "Cancelled",
          "the open request was cancelled before it was delivered; com.example.photos has not checked in"
            + " (OSStatus error -128)")
      ) { try await again.receipt() }
      try await photos.go()
      #expect(try await world.client.open("photos:2").outcome.delivery == .delivered)
      #expect(!photos.heard().contains(.opened("photos:1")))
    }
  }

  @Test("Nobody can cancel the open of another caller")
  func cancelOfAnother() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.slow)
      var options = OpenOptions()
      options.cancellationID = "mine"
      let open = world.client.opening("photos:1", options)
      try await photos.isWaiting()
      let other = try await world.newClient()
      await #expect(
        throws: Refusal(
          "org.freedesktop.DBus.Error.InvalidArgs",
          "cancellation_id: no open of this caller has the identifier mine")
      ) { try await other.cancelOpen("mine") }
      try await photos.go()
      #expect(try await open.receipt().outcome == .deliveredCold)
    }
  }

  @Test("R5.33 a macOS application gets a second process when that is asked for")
  func newInstance() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"]) {
        $0.sdk = Profile.macOS.rawValue
      }
      let first = try await world.client.open("photos:1")
      let second = try await world.client.open("photos:2", newInstance: true)
      #expect(second.outcome == .deliveredCold)
      #expect(photos.pids == [first.pid, second.pid])
      #expect(first.pid != second.pid)
    }
  }

  @Test("R5.36 an iOS application does not")
  func noNewInstance() async throws {
    try await Testbed.run { world in
      try await world.install(Self.identifier, schemes: ["photos"])
      _ = try await world.client.open("photos:1")
      await #expect(
        throws: Refusal(
          "NotPermitted",
          "\(Self.identifier) runs, and an iOS application has one process only"
            + " (OSStatus error -54)")
      ) { try await world.client.open("photos:2", newInstance: true) }
    }
  }
}
