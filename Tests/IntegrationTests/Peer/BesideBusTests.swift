import Foundation
import LaunchServicesTesting
import Testing

/// A handler of the Swift library in a session with a bus, where the daemon works without one.
@MainActor @Suite("A handler beside a bus", .timeLimit(.minutes(30)))
struct BesideBusTests {
  @Test("that the daemon did not start checks in with it and with the next one")
  func handler() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let photos = try #require(Example.program("photos"))
      @MainActor func startDaemon() async throws -> ObservedProcess {
        let daemon = try world.startProcess(
          "launchservicesd", ["--direct-only", "--fetch-associations", "no"])
        try await daemon.line(containing: "ready socket=")
        return daemon
      }
      @MainActor func command(_ words: String...) async throws -> String {
        let process = try world.startProcess(words[0], Array(words.dropFirst()))
        _ = try await process.hasEnded()
        return process.lines.joined(separator: "\n")
      }
      let first = try await startDaemon()
      let list = "\(Example.folder)/photos/photos.plist"
      #expect(
        try await command(
          "lsregister", "add", "--define", "BUILT_PRODUCTS_DIR=\(Example.products)", list)
          == "com.example.photos")
      let handler = try world.startProcess(
        photos, [], environment: ["LAUNCH_SERVICES_BUNDLE_IDENTIFIER": "com.example.photos"])
      try await waitUntil("a handler that runs") {
        try await command("lsregister", "list").contains("  active  ")
      }
      let warm = try await command("lsopen", "--json", "photos:1")
      #expect(warm.contains(#""launch":"warm""#) && warm.contains(#""handled":true"#), "\(warm)")
      try await handler.line(containing: "open photos:1")
      #expect(try await first.stop() == "exited with code 0")
      let second = try await startDaemon()
      let again = try await command("lsopen", "--json", "photos:2")
      #expect(again.contains(#""launch":"warm""#) && again.contains(#""handled":true"#), "\(again)")
      try await handler.line(containing: "open photos:2")
      handler.signal(SIGTERM)
      _ = try await handler.hasEnded()
      #expect(try await second.stop() == "exited with code 0")
    }
  }
}
