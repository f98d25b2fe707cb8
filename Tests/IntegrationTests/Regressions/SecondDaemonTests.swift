import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// A second daemon used to read the state of the first, report all that is odd in it once more, and
/// move a file aside that it could not read, before it found the bus name taken.
@Suite("A second daemon", .timeLimit(.minutes(30)))
struct SecondDaemonTests {
  /// The bus knows of the end of a process only when it gets to it.
  @Test("takes over from one that was killed a moment ago") func followsAtOnce() async throws {
    try await Testbed.run { world in
      for _ in 0..<20 {
        let bus = world.busProcess
        bus.signal(SIGSTOP)
        try await world.killDaemon()
        async let next: Void = world.startDaemon()
        bus.signal(SIGCONT)
        try await next
      }
    }
  }

  @Test("touches nothing of the first") func touchesNothing() async throws {
    try await Testbed.run { world in
      let state = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      try FileManager.default.createDirectory(
        atPath: state, withIntermediateDirectories: true)
      try Data("not a property list".utf8).write(to: URL(filePath: state + "/registry.plist"))
      func listing() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: state))
      }
      let before = try listing()
      let second = try world.startProcess("launchservicesd")
      #expect(try await second.hasEnded() == "exited with code 1")
      #expect(try listing() == before)
    }
  }
}
