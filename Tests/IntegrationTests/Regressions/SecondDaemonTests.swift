import Foundation
import LaunchServicesTesting
import Testing

/// A second daemon used to read the state of the first, report all that is odd in it once more, and
/// move a file aside that it could not read, before it found the bus name taken.
@Suite("A second daemon", .timeLimit(.minutes(1)))
struct SecondDaemonTests {
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
