import Foundation
import LaunchServicesTesting
import Testing

/// One client does its worst, with bare sockets, while others go on (`Fixtures/hostile.py`).
@Suite("A hostile client", .timeLimit(.minutes(30)), .serialized)
struct HostileClientTests {
  /// In KiB, when all is over. An idle daemon of a debug build has about 20 MiB; what it once needed and
  /// gave back may stay with its allocator. Without bounds these attacks take gigabytes.
  static let mostMemory = 96 * 1024

  @Test(
    "The daemon stays up, within its memory, answers others, and has the descriptors it had",
    arguments: [
      "wrong-signatures", "odd-options", "odd-urls", "deep-variants", "long-strings",
      "long-urls-of-a-stranger", "long-urls-behind-a-slow-call", "pending-calls", "unread-answers",
      "a-flood-before-one", "connections", "broken-messages",
    ])
  func attack(_ name: String) async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:0").outcome == .deliveredCold)
      let before = try world.daemonDescriptors()

      let client = try world.startProcess("python3", [Fixture.path("hostile.py"), name])
      // Meanwhile.
      var answered = 0
      try await waitUntil("the end of the attack", within: .seconds(300)) {
        let receipt = try await world.client.open("photos:\(answered)")
        #expect(receipt.outcome == .deliveredWarm)
        answered += 1
        return !client.isRunning
      }
      #expect(try await client.hasEnded() == "exited with code 0", "\(client.lines)")
      #expect(answered > 0)

      // Behind everything that it left in the bus.
      #expect(try await world.client.open("photos:last").outcome == .deliveredWarm)
      #expect(photos.pids.count == 1)
      try await world.daemonDescriptors(comeBackTo: before)
      let memory = try residentMemory(world)
      #expect(memory < Self.mostMemory, "\(memory) KiB")
    }
  }

  /// In KiB.
  @MainActor private func residentMemory(_ world: Testbed) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(world.daemon.pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(
      line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) })
  }
}
