import Foundation
import LaunchServicesTesting
import Testing

/// Files of state and settings used to reach the decoder unchecked, which calls itself for each
/// level of XML until the stack ends.
@MainActor @Suite("A property list of many levels", .timeLimit(.minutes(10)))
struct HostileStateTests {
  private static func nested(_ levels: Int) -> Data {
    Data(
      ("<plist version=\"1.0\">" + String(repeating: "<array>", count: levels)
        + String(repeating: "</array>", count: levels) + "</plist>").utf8)
  }

  @Test(
    "in the place of state is moved aside, and the daemon works",
    arguments: ["registry.plist", "queries.plist", "shortcut-items.plist"])
  func state(_ name: String) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let folder = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Self.nested(200_000).write(to: URL(filePath: folder + "/" + name))
      try await world.startDaemon()
      let line = try await world.daemon.line(containing: "moved aside")
      #expect(line.contains("nested more than 512 deep"))
      #expect(FileManager.default.fileExists(atPath: folder + "/\(name).damaged"))
      try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    }
  }

  @Test("in the place of the settings is an error with a reason") func settings() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let path = try world.writeSettings("")
      try Self.nested(60_000).write(to: URL(filePath: path))
      let daemon = try world.startProcess("launchservicesd")
      #expect(try await daemon.hasEnded() == "exited with code 4")
      #expect(
        daemon.lines == [
          "launchservicesd: \(path): its arrays and dictionaries are nested more than 512 deep"
        ])
    }
  }
}
