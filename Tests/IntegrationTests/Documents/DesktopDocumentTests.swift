import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite("Documents and the freedesktop world", .timeLimit(.minutes(30)))
struct DesktopDocumentTests {
  /// With our core types, and the database of shared-mime-info, but without the applications of the machine.
  private static let environment = [
    "XDG_DATA_DIRS": URL(filePath: Example.folder).deletingLastPathComponent()
      .appending(path: "systemd/share").path + ":"
      + Fixture.path("mime-data")
  ]

  @Test("shared-mime-info tells the type of a file whose name does not") func mimeType()
    async throws
  {
    try await Desktop.run(environment: Self.environment) { world, _ in
      let text = try await world.install("com.example.text", opening: ["public.plain-text"])
      let readme = try world.write(document: "README", "Read me.\n")
      let script = try world.write(document: "tool", "#!/bin/sh\nexit 0\n")
      #expect(
        try await world.client.type(ofDocument: readme)["why"]
          == .string("the MIME type text/x-readme, for which no type is declared"))
      #expect(
        try await world.client.type(ofDocument: script)["type"] == .string("public.shell-script"))
      _ = try await world.client.open(readme)
      #expect(text.deliveries() == [[readme]])
    }
  }

  @Test(
    "what no property list claims is opened by the application of the desktop for its MIME type")
  func desktopApplications() async throws {
    try await Desktop.run(environment: Self.environment) { world, desktop in
      try await installViewers(desktop)
      let text = try await world.install("com.example.text", opening: ["public.text"])
      try await world.client.reload()
      let image = try world.write(document: "a b.png", "\u{89}PNG")
      let note = try world.write(document: "a.txt")
      let fates = try await world.client.openDocuments([image, note])
      #expect(fates.map(\.receipt?.handler) == ["viewer.desktop", "com.example.text"])
      #expect(
        try await desktop.recorded().arguments == ["viewer", "\(world.documents)/a b.png"])
      #expect(text.deliveries() == [[note]])
      let explanation = try await world.client.explain(image)
      #expect(explanation.handler == "viewer.desktop")
      #expect(
        explanation.steps.filter { $0.step == "candidate" }.prefix(2).map(\.sentence) == [
          "viewer.desktop: the default of the desktop; it claims the MIME type image/png",
          "other.desktop: the desktop prefers another application; it claims the MIME type image/png",
        ])
      let font = try world.write(document: "a.woff2")
      let refused = try await world.client.openDocuments([font])
      #expect(
        refused.first?.refusal?.text.contains("no application opens files of type ") == true)
      // Nothing of the user's files was written.
      #expect(desktop.exported == [])
    }
  }

  @Test("a folder, an empty file and a file of unknown contents have applications of the desktop")
  func unknown() async throws {
    try await Desktop.run(environment: Self.environment) { world, desktop in
      try await installViewers(desktop)
      try await world.client.reload()
      let folder = "file://" + world.documents + "/folder"
      try FileManager.default.createDirectory(
        atPath: world.documents + "/folder", withIntermediateDirectories: true)
      let empty = try world.write(document: "EMPTY", "")
      let noise = try world.write(document: "NOISE", "\u{1}\u{2}\u{0}\u{3}")
      for (url, name) in [(folder, "files"), (empty, "editor"), (noise, "bytes")] {
        #expect(try await world.client.explain(url).handler == "\(name).desktop", "\(url)")
      }
      // The type of an empty file is not the type of texts.
      #expect(
        try await world.client.type(ofDocument: empty)["type"] == .string("public.data"))
    }
  }

  /// Applications for some MIME types, the first one as the default.
  private func installViewers(_ desktop: Desktop) async throws {
    for (name, types) in [
      ("other", "image/png"), ("viewer", "image/png"), ("files", "inode/directory"),
      ("editor", "text/plain"), ("bytes", "application/octet-stream"),
    ] {
      try desktop.write(
        "\(desktop.entries)/\(name).desktop",
        """
        [Desktop Entry]
        Type=Application
        Name=\(name)
        Exec=/usr/bin/python3 \(desktop.program) \(name) %f
        MimeType=\(types);
        """)
    }
    try await desktop.command("update-desktop-database", desktop.entries)
    try desktop.write(desktop.mimeApps, "[Default Applications]\nimage/png=viewer.desktop\n")
  }
}
