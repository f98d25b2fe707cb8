import BusContract
import Glibc
import LaunchServicesTesting
import Testing

@Suite("Waiting for the end of a process", .timeLimit(.minutes(30)))
struct ExitTests {
  static let identifier = "com.example.photos"
  static let exiting = HandlerScript.delegate(
    deliveries: [.answer(true)], [.answer(true), .exit(3)])

  @Test(
    "R7.2 lsopen -W ends with status 0 when the process ends that it started, whatever its code")
  func startedProcess() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.exiting)
      let lsopen = try world.startProcess("lsopen", ["-W", "photos:1"])
      try await photos.next(.opened("photos:1"))
      #expect(lsopen.end == nil)
      _ = try await world.client.open("photos:2")
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      #expect(lsopen.lines == [])
    }
  }

  @Test("R7.2 and also when it ran before; what became of it is in the answer of the daemon")
  func runningProcess() async throws {
    try await Testbed.run { world in
      try await world.install(Self.identifier, schemes: ["photos"], Self.exiting)
      let pid = try await world.client.open("photos:1").pid
      let end = world.client.end(of: pid)
      // Its answer comes after the daemon has taken the one before.
      _ = try await world.client.call(Contract.ping())
      let lsopen = try world.startProcess("lsopen", ["--wait-apps", "photos:2"])
      #expect(try await end.how() == "exited with code 3")
      #expect(try await lsopen.hasEnded() == "exited with code 0")
    }
  }

  @Test("Interrupting lsopen ends lsopen only, and the daemon forgets that it waited")
  func interrupted() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"])
      let lsopen = try world.startProcess("lsopen", ["-W", "--json", "photos:1"])
      try await lsopen.line(containing: "\"delivery\":\"delivered\"")
      lsopen.signal(SIGINT)
      #expect(try await lsopen.hasEnded() == "was ended by SIGINT (signal 2)")
      #expect(try await world.client.open("photos:2").pid == photos.pids[0])
      #expect(photos.heard().last == .opened("photos:2"))
    }
  }

  @Test("R7.2 --timeout bounds what lsopen -W waits; the application runs on")
  func boundedWait() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"])
      let lsopen = try world.startProcess("lsopen", ["-W", "--timeout", "1", "photos:1"])
      #expect(try await lsopen.hasEnded() == "exited with code 4")
      let pid = photos.pids[0]
      #expect(
        try await lsopen.line(containing: "--timeout")
          == "lsopen: the time given with --timeout is over, and \(Self.identifier) (process \(pid))"
          + " still runs")
      #expect(try await world.client.open("photos:2").pid == pid)
    }
  }

  @Test("A process that came by itself has ended for the daemon when it leaves the bus")
  func cameByItself() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"],
        HandlerScript(
          launch: [.checkIn(.identifier(Self.identifier)), .finishLaunching()],
          deliveries: [[.answer(true)], [.answer(true), .exit(0)]]))
      let process = try world.start(photos)
      try await photos.next(.finishing)
      #expect(try await world.client.open("photos:1").pid == process.pid)
      let end = world.client.end(of: process.pid)
      _ = try await world.client.open("photos:2")
      #expect(try await end.how() == "left the bus")
    }
  }

  @Test("Nobody waits for a process that is no application's")
  func unknown() async throws {
    try await Testbed.run { world in
      for pid in [0, getpid(), .max] {
        await #expect(
          throws: Refusal("NotRunning", "no application runs in process \(pid)")
        ) { try await world.client.end(of: pid).how() }
      }
    }
  }

  @Test("One connection waits for 64 ends at most, and others are not in its way")
  func bounded() async throws {
    try await Testbed.run { world in
      try await world.install(Self.identifier, schemes: ["photos"], Self.exiting)
      let pid = try await world.client.open("photos:1").pid
      let many = try await world.newClient()
      let ends = (1...64).map { _ in many.end(of: pid) }
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "this connection waits for the ends of 64 processes already, which is the limit"
            + " (OSStatus error -10810)")
      ) { try await many.end(of: pid).how() }
      let end = world.client.end(of: pid)
      _ = try await world.client.open("photos:2")
      #expect(try await end.how() == "exited with code 3")
      for end in ends { #expect(try await end.how() == "exited with code 3") }
    }
  }
}
