import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// A handler that answered and ended at once was said to have ended without an answer, whenever the
/// kernel told of its end before the bus had carried the answer.
@Suite("Regression: an answer before the end", .timeLimit(.minutes(30)))
struct AnswerBeforeExitTests {
  @Test("An open that was answered succeeds, and the next one is launched for")
  func answered() async throws {
    try await Testbed.run { world in
      let bus = world.busProcess
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"],
        .delegate(deliveries: [.signal(SIGSTOP, to: bus.pid), .answer(true), .exit(0)]))
      let open = world.client.opening("photos:1")
      let behind = world.client.opening("photos:2")
      try await photos.next(.opened("photos:1"))
      photos.script = .delegate()
      // The bus stands still. The daemon has noticed the end when it has reaped the process.
      let pid = try #require(photos.pids.last)
      try await waitUntil("the end of process \(pid)") {
        !FileManager.default.fileExists(atPath: "/proc/\(pid)")
      }
      bus.signal(SIGCONT)
      #expect(try await open.receipt().outcome == .deliveredCold)
      #expect(try await behind.receipt().outcome == .deliveredCold)
      #expect(photos.heard().last == .opened("photos:2"))
    }
  }
}
