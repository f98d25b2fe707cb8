import Glibc
import LaunchServicesTesting
import Testing

@Suite("The end of the daemon", .timeLimit(.minutes(30)))
struct StoppingTests {
  @Test(
    "SIGTERM and SIGINT answer every open that waits, and the daemon exits with 0",
    arguments: [SIGTERM, SIGINT])
  func pendingOpens(signal: Int32) async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .launching(.wait))
      let opens = (1...3).map { world.client.opening("photos:\($0)") }
      try await photos.isWaiting()

      world.daemon.signal(signal)

      for open in opens {
        await #expect(
          throws: Refusal(
            "ShuttingDown",
            "the launch services daemon is shutting down (OSStatus error -10822)")
        ) { try await open.receipt() }
      }
      #expect(try await world.daemon.hasEnded() == "exited with code 0")
    }
  }

  @Test("A second daemon on the bus says why it ends, and ends with 1")
  func secondDaemon() async throws {
    try await Testbed.run { world in
      let second = try world.startProcess("launchservicesd")
      #expect(try await second.hasEnded() == "exited with code 1")
      try await second.line(containing: "ends")
      #expect(
        second.lines == [
          "launchservicesd: error: another launchservicesd is running on this session bus; this"
            + " one ends"
        ])
      // The first one is none the worse.
      try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    }
  }

  @Test("When the bus ends, the daemon exits with 0 after one line")
  func busEnds() async throws {
    try await Testbed.run { world in
      try await world.endBus()
      #expect(try await world.daemon.hasEnded() == "exited with code 0")
      try await world.daemon.line(containing: "has ended")
      #expect(
        world.daemon.lines == [
          "launchservicesd: notice: ready name=org.launchservices.LaunchServices1",
          "launchservicesd: notice: the session bus has ended; stopping",
        ])
    }
  }

  @Test("When the bus ends during a delivery, nobody is said to have refused it")
  func busEndsDuringDelivery() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .delegate(deliveries: [.answer(true)], []))
      let pid = try await world.client.open("photos:1").pid
      let client = try await world.newDirectClient()
      let open = client.opening("photos:2")
      try await photos.next(.opened("photos:2"))

      try await world.endBus()

      #expect(try await world.daemon.hasEnded() == "exited with code 0")
      try await world.daemon.line(containing: "has ended")
      #expect(
        world.daemon.lines == [
          "launchservicesd: notice: ready name=org.launchservices.LaunchServices1",
          "launchservicesd: notice: the session bus has ended; stopping",
        ])
      await #expect(
        throws: Refusal(
          "DeliveryUnknown",
          "the daemon ended during the delivery to com.example.photos (process \(pid)); the result"
            + " is unknown (OSStatus error -10810)")
      ) { try await open.receipt() }
    }
  }

  @Test("Without a bus the daemon says so and ends with 3")
  func noBus() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let address = "unix:path=\(world.folder)/nobody"
      let daemon = try world.startProcess(
        "launchservicesd", environment: ["DBUS_SESSION_BUS_ADDRESS": address])
      #expect(try await daemon.hasEnded() == "exited with code 3")
      let line = try await daemon.line(containing: "bus")
      #expect(
        line
          == "launchservicesd: the session bus cannot be reached: Failed to connect to socket"
          + " \(world.folder)/nobody: No such file or directory; run launchservicesd with dbus-run-session, or"
          + " with --direct-only where there is no bus")
    }
  }
}
