import Foundation
import LaunchServicesTesting
import Testing

/// A sandbox like Flatpak's, made with bubblewrap, which Flatpak itself uses.
@Suite(
  "Callers in a sandbox", .timeLimit(.minutes(30)),
  .enabled(
    if: FileManager.default.isExecutableFile(atPath: "/usr/bin/bwrap"),
    "there is no bwrap; install bubblewrap"))
struct FlatpakTests {
  /// Runs `lsopen --explain` with `text` in `.flatpak-info`, and gives the line about the caller.
  @MainActor private func caller(_ world: Testbed, _ text: String) async throws -> String {
    let file = world.folder + "/flatpak-info"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    var arguments: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: "/").sorted() {
      let path = "/" + name
      let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      arguments += link.map { ["--symlink", $0, path] } ?? ["--dev-bind", path, path]
    }
    arguments += [
      "--ro-bind", file, "/.flatpak-info", Fixture.program("lsopen"), "--explain", "photos:",
    ]
    let sandbox = try world.startProcess("/usr/bin/bwrap", arguments)
    _ = try await sandbox.hasEnded()
    return sandbox.lines.first { $0.contains("caller") } ?? sandbox.lines.joined(separator: "\n")
  }

  @Test(
    "A sandbox that systemd does not know as one of Flatpak is no application, whatever its file says",
    arguments: [
      "[Application]\nname=com.example.photos\n",
      "[Application]\nname=com.example.other\n", "[Application]\nname=com.example.photos\nname=x\n",
      "name=com.example.photos\n", "",
    ])
  func unknown(_ text: String) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let line = try await caller(world, text)
      #expect(!line.contains("com.example"), "\(line)")
    }
  }
}
