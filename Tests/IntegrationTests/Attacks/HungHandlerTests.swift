import BusContract
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// What waited for an application that hangs took what others needed: a caller was whoever ran the same program.
@Suite("Attack: opens for applications that hang", .timeLimit(.minutes(30)))
@MainActor struct AttackHungHandlerTests {
  private static func start(_ settings: [String: Int], _ world: Testbed) async throws {
    try world.writeSettings(
      settings.map { "<key>\($0.key)</key><integer>\($0.value)</integer>" }.joined())
    try await world.startDaemon()
  }

  private static let text = String(repeating: "x", count: 60_000)

  @Test(
    "Many processes of one program fill the share of that application, and not what others need")
  func processes() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await Self.start(["MaximumPendingBytes": 1_000_000], world)
      let hung = try await world.install(
        "com.example.hung", schemes: ["hang"], .launching(.wait, .checkIn(), .finishLaunching()))
      try await world.install("com.example.photos", schemes: ["photos"])
      var openers: [ObservedProcess] = []
      for number in 0..<8 {
        openers.append(
          try world.startProcess("lsopen", ["hang:\(number)?\(Self.text.prefix(52_000))"]))
      }
      // Three eighths of the bytes may wait for one application, 105 kB each, and the fourth goes a little beyond.
      @MainActor func refused() -> Int {
        openers.count { $0.lines.contains { $0.contains("check whether com.example.hung hangs") } }
      }
      try await waitUntil("the refusal of four opens") { refused() >= 4 }
      let other = try world.startProcess("lsopen", ["photos:\(Self.text)"])
      #expect(try await other.hasEnded() == "exited with code 0", "\(other.lines)")
      let same = try world.startProcess("lsopen", ["--timeout", "0.2", "hang:small"])
      try await same.line(containing: "the time given with --timeout is over")
      try await hung.isWaiting()
      try await hung.go()
      for opener in openers { _ = try await opener.hasEnded() }
      #expect(refused() == 4)
    }
  }

  @Test("One process of a program has its share, and another process has one of its own")
  func shares() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await Self.start(["MaximumPendingBytes": 400_000], world)
      let one = try await world.install(
        "com.example.one", schemes: ["one"], .launching(.wait, .checkIn(), .finishLaunching()))
      let two = try await world.install(
        "com.example.two", schemes: ["two"], .launching(.wait, .checkIn(), .finishLaunching()))
      let first = world.client.opening("one:\(Self.text)")
      try await one.isWaiting()
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "the opens of this caller take 121032 bytes already, and one caller may take 100000, a quarter of the"
            + " limit MaximumPendingBytes of the settings: try again when some of them have ended (OSStatus error -10810)"
        )
      ) { try await world.client.open("two:1") }
      let other = try world.startProcess("lsopen", ["two:1"])
      try await two.isWaiting()
      try await two.go()
      #expect(try await other.hasEnded() == "exited with code 0", "\(other.lines)")
      try await one.go()
      _ = try await first.receipt()
    }
  }
}
