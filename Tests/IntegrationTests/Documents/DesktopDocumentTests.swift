import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite("Documents and the freedesktop world", .timeLimit(.minutes(10)))
struct DesktopDocumentTests {
  /// With our core types, and the database of shared-mime-info.
  private static let environment = [
    "XDG_DATA_DIRS": URL(filePath: Example.folder).deletingLastPathComponent()
      .appending(path: "systemd/share").path + ":/usr/share"
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

  @Test("what no application of ours opens goes to the desktop's, each to its own") func bridge()
    async throws
  {
    try await Desktop.run(environment: Self.environment) { world, desktop in
      try desktop.write(
        "\(desktop.entries)/viewer.desktop",
        """
        [Desktop Entry]
        Type=Application
        Name=viewer
        Exec=/usr/bin/python3 \(desktop.program) viewer %f
        MimeType=image/png;
        """)
      try await desktop.command("update-desktop-database", desktop.entries)
      try desktop.write(desktop.mimeApps, "[Default Applications]\nimage/png=viewer.desktop\n")
      try await desktop.command("lsregister", "desktop", "enable")
      let text = try await world.install("com.example.text", opening: ["public.text"])
      let image = try world.write(document: "a b.png", "\u{89}PNG")
      let note = try world.write(document: "a.txt")
      let fates = try await world.client.openDocuments([image, note])
      #expect(
        fates.map(\.receipt?.handler) == ["org.launchservices.desktop", "com.example.text"])
      #expect(
        try await desktop.recorded().arguments == ["viewer", "\(world.documents)/a b.png"])
      #expect(text.deliveries() == [[note]])
      let font = try world.write(document: "a.woff2")
      let refused = try await world.client.openDocuments([font])
      #expect(
        refused.first?.refusal?.text.contains("no desktop application opens files of the MIME type")
          == true)
    }
  }
}
