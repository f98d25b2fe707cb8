import Foundation
import LaunchServicesTesting
import Testing

/// A symbolic link that leads to itself used to be passed over as if nothing were there.
@Suite("A symbolic link that leads to itself", .timeLimit(.minutes(30)))
struct SymbolicLinkLoopTests {
  @Test("is reported, and the applications beside it count") func reported() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try FileManager.default.createDirectory(
        atPath: world.applicationsFolder, withIntermediateDirectories: true)
      let loop = world.applicationsFolder + "/loop.plist"
      try FileManager.default.createSymbolicLink(
        atPath: loop, withDestinationPath: "loop.plist")
      try world.put(TestApplication("com.example.photos"))
      try await world.startDaemon()
      try await world.daemon.line(containing: "launchservicesd: error: \(loop): ")
      #expect(try await world.client.applications() == ["com.example.photos"])
    }
  }
}
