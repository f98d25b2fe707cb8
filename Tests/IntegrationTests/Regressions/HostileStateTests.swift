import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// Files of state and settings used to reach the decoder unchecked, which calls itself for each
/// level of XML until the stack ends.
@MainActor @Suite("A property list of many levels", .timeLimit(.minutes(30)))
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

  @Test("in the place of the settings is an error with a reason, and the defaults count")
  func settings() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let path = try world.writeSettings("")
      try Self.nested(60_000).write(to: URL(filePath: path))
      try await world.startDaemon()
      let line = try await world.daemon.line(
        containing: "not used: its arrays and dictionaries are nested more than 512 deep")
      #expect(line.contains("file=\(path)"))
    }
  }

  @Test("that is huge in the place of the user's answers is bounded, and the daemon says so")
  func approvals() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let folder = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      let file = folder + "/approvals.plist"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      func write(_ answers: String) throws {
        try Data(
          "<plist version=\"1.0\"><dict><key>approvals</key><dict>\(answers)</dict></dict></plist>"
            .utf8
        )
        .write(to: URL(filePath: file))
      }
      func answer(_ number: Int, _ value: String) -> String {
        "<key>com.example.a\(number)</key><dict><key>tel</key><dict><key>b</key>\(value)</dict></dict>"
      }
      try write((0..<20_000).map { answer($0, $0 % 5 == 0 ? "<false/>" : "<true/>") }.joined())
      try await world.startDaemon()
      let line = try await world.daemon.line(containing: "ignored remembered answers")
      #expect(line.contains("left-out=19000 limit=1000"), "\(line)")
      let kept = try await world.client.call(Contract.approvals()).first?.asOptionsList ?? []
      #expect(kept.count == 1_000)
      #expect(kept.filter { $0["allowed"]?.asBoolean == false }.count == 1_000)
      try await world.stopDaemon()
      try write(String(repeating: " ", count: 16 << 20))
      try await world.startDaemon()
      #expect(
        try await world.daemon.line(containing: "moved aside").contains("larger than the limit"))
    }
  }
}
