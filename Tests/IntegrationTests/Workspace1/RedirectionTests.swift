import BusContract
import DBus
internal import DBusMainLoop
import Foundation
import LaunchServicesTesting
import Testing

@Suite("Standard streams of a new process", .timeLimit(.minutes(30)))
struct RedirectionTests {
  static let identifier = "com.example.photos"
  static let reporting = HandlerScript.launching(.report, .checkIn(), .finishLaunching())

  static func facts(_ application: ScriptedHandler) async throws -> StartFacts {
    while true {
      if case .facts(let facts) = try await application.next() { return facts }
    }
  }

  @Test("R5.34 lsopen opens the files itself, and a new process has them, and nothing else open")
  func newProcess() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.reporting)
      let (input, output, error) = (
        world.folder + "/in", world.folder + "/out", world.folder + "/home/err"
      )
      try "read me".write(toFile: input, atomically: false, encoding: .utf8)
      try "kept\n".write(toFile: output, atomically: false, encoding: .utf8)
      let lsopen = try world.startProcess(
        "lsopen", ["-i", input, "-o", output, "--stderr", "err", "photos:1"])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      let facts = try await Self.facts(photos)
      #expect(facts.streams == [input, output, error])
      #expect(facts.descriptors == [0, 1, 2])
      #expect(try String(contentsOfFile: output, encoding: .utf8) == "kept\n")
      #expect(try String(contentsOfFile: error, encoding: .utf8) == "")
      #expect(lsopen.lines == [])
    }
  }

  @Test("A process that runs keeps its streams, and lsopen says that the options had no effect")
  func runningProcess() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.reporting)
      _ = try await world.client.open("photos:1")
      let facts = try await Self.facts(photos)
      #expect(facts.streams[0] == "/dev/null")
      let lsopen = try world.startProcess(
        "lsopen", ["--stdout", "out", "--stderr=out", "photos:2"])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      #expect(
        lsopen.lines == [
          "lsopen: com.example.photos was running already, so --stdout and --stderr had no effect"
        ])
      #expect(photos.heard().last == .opened("photos:2"))
    }
  }

  @Test("A file to read that is missing ends lsopen with status 2, and nothing is opened")
  func missing() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"])
      let lsopen = try world.startProcess("lsopen", ["-i", "/nowhere", "photos:1"])
      #expect(try await lsopen.hasEnded() == "exited with code 2")
      #expect(lsopen.lines == ["lsopen: The file /nowhere does not exist."])
      #expect(photos.heard() == [])
    }
  }

  @Test("R6.8 that of a macOS opener counts")
  func notSandboxed() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.reporting)
      let opener = try await world.install("com.example.opener", schemes: ["opener"]) {
        $0.sdk = Profile.macOS.rawValue
      }
      _ = try await world.client.open("opener:1")
      _ = try await opener.open("photos:1", input: "/etc/passwd")
      #expect(try await Self.facts(photos).streams[0] == "/etc/passwd")
    }
  }

  @Test("R6.8 a sandboxed opener has no say in the streams of another application")
  func sandboxed() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(Self.identifier, schemes: ["photos"], Self.reporting)
      let opener = try await world.install("com.example.opener", schemes: ["opener"])
      _ = try await world.client.open("opener:1")
      let receipt = try await opener.open("photos:1", input: "/etc/passwd")
      #expect(receipt.outcome.delivery == .delivered)
      #expect(try await Self.facts(photos).streams[0] == "/dev/null")
    }
  }

  @Test("The daemon keeps no descriptor of an open, whatever became of it")
  func noLeak() async throws {
    try await Testbed.run { world in
      try await world.install(Self.identifier, schemes: ["photos"])
      try await world.install("com.example.broken", schemes: ["broken"]) {
        $0.executable = .missing
      }
      try await world.install("com.example.crashing", schemes: ["crashing"], .launching(.crash))
      let null = try #require(FileHandle(forReadingAtPath: "/dev/null"))
      func options() -> OpenOptions {
        var options = OpenOptions()
        options.standardInput = OwnedDescriptor(adopting: dup(null.fileDescriptor))
        options.standardOutput = OwnedDescriptor(adopting: dup(null.fileDescriptor))
        options.standardError = OwnedDescriptor(adopting: dup(null.fileDescriptor))
        return options
      }
      #expect(try await world.client.open("photos:0", options()).outcome == .deliveredCold)
      let before = try world.daemonDescriptors()

      for _ in 1...20 {
        #expect(try await world.client.open("photos:1", options()).outcome == .deliveredWarm)
        await #expect(throws: Refusal.self) { try await world.client.open("nobody:1", options()) }
        await #expect(throws: Refusal.self) { try await world.client.open("broken:1", options()) }
        await #expect(throws: Refusal.self) { try await world.client.open("crashing:1", options()) }
      }
      try await world.daemonDescriptors(comeBackTo: before)
    }
  }

  @Test("An open that waits holds no descriptor that nobody asked for")
  func unknownOption() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"], .launching(.wait, .checkIn(), .finishLaunching()))
      let first = world.client.opening("photos:0")
      try await photos.isWaiting()
      let before = try world.daemonDescriptors()
      let null = try #require(FileHandle(forReadingAtPath: "/dev/null"))
      let descriptor = OwnedDescriptor(adopting: dup(null.fileDescriptor))
      for _ in 1...20 {
        world.client.session.call(
          .call(
            to: Contract.busName, path: Contract.objectPath, interface: Contract.workspace,
            member: "OpenURL",
            [.string("photos:1"), .options(["unknown": .descriptor(descriptor)])]),
          deadline: nil
        ) { _ in }
      }
      _ = try await world.client.call(Contract.ping())
      #expect(try world.daemonDescriptors().isWithin(before))
      try await photos.go()
      _ = try await first.receipt()
      for _ in 1...20 { try await photos.next(.opened("photos:1")) }
    }
  }

  @Test("Descriptors of opens that wait are bounded in number")
  func bounded() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.identifier, schemes: ["photos"], .launching(.wait, .checkIn(), .finishLaunching()))
      let null = try #require(FileHandle(forReadingAtPath: "/dev/null"))
      var options = OpenOptions()
      options.standardInput = OwnedDescriptor(adopting: dup(null.fileDescriptor))
      let first = world.client.opening("photos:0")
      try await photos.isWaiting()
      var cancelled = options
      cancelled.cancellationID = "mine"
      let given = world.client.opening("photos:cancelled", cancelled)
      try await world.client.cancelOpen("mine")
      await #expect(throws: Refusal.self) { try await given.receipt() }
      let opens = (1...16).map { world.client.opening("photos:\($0)", options) }
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "16 opens of this caller that bring stdin, stdout or stderr wait already, which is the limit:"
            + " try again when some of them have ended, or open without them (OSStatus error -10810)"
        )
      ) { try await world.client.open("photos:17", options) }
      try await photos.go()
      #expect(try await first.receipt().outcome == .deliveredCold)
      for open in opens { #expect(try await open.receipt().outcome == .deliveredWarm) }
      #expect(try await world.client.open("photos:66", options).outcome == .deliveredWarm)
    }
  }
}
