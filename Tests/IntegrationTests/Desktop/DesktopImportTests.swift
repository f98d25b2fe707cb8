import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite(
  "Desktop entries in numbers and of every kind",
  .enabled(
    if: Desktop.isInstalled("desktop-file-validate"), "needs the package desktop-file-utils"),
  .timeLimit(.minutes(30)))
struct DesktopImportTests {
  /// Those of the machine, of the collection beside the package, and odd ones made here.
  private func entries() -> [(name: String, contents: Data)] {
    var entries: [(String, Data)] = []
    let override = ProcessInfo.processInfo.environment["LAUNCH_SERVICES_DESKTOP_CORPUS"]
    for folder in [
      "/usr/share/applications", override ?? Example.folder + "/../../shared/corpus/desktop",
    ] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      where name.hasSuffix(".desktop") {
        if let data = FileManager.default.contents(atPath: "\(folder)/\(name)") {
          entries.append((name, data))
        }
      }
    }
    // Tests/desktop-entries fetches as many as that.
    #expect(override == nil || entries.count >= 300)
    let oddities = [
      "", "[Desktop Entry]", "[Desktop Entry]\nType=Application\nName=x\nExec=", "no key file",
      "[Desktop Entry]\nType=Application\nName=x\nExec=true %u\nMimeType=x-scheme-handler/;;;",
      "[Desktop Entry]\nType=Application\nName=x\nExec=true \"%u\nMimeType=x-scheme-handler/odd;",
      "[Desktop Entry]\nType=Link\nName=x\nURL=odd:1\nMimeType=x-scheme-handler/odd;",
      "[Desktop Entry]\nType=Application\nHidden=true\nName=x\nExec=true %u\n"
        + "MimeType=x-scheme-handler/hidden;",
      "[Desktop Entry]\nType=Application\nName=x\nExec=true %u\n"
        + "MimeType=x-scheme-handler/ü;x-scheme-handler/1a;x-scheme-handler/UP;text/plain;"
        + "x-scheme-handler/a b;x-scheme-handler/../../x;",
    ]
    for (index, text) in oddities.enumerated() {
      entries.append(("odd-\(index).desktop", Data(text.utf8)))
    }
    for number in 0..<300 {
      let text =
        "[Desktop Entry]\nType=Application\nName=n\nExec=true %U\n"
        + "MimeType=x-scheme-handler/made\(number);x-scheme-handler/shared;x-scheme-handler/mailto;"
      entries.append(("made-\(number).desktop", Data(text.utf8)))
    }
    return entries
  }

  @Test("300 desktop entries are applications without failing and without a redirect loop")
  func imports()
    async throws
  {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos", "made250"])
      for (name, contents) in entries() {
        try desktop.write("\(desktop.entries)/\(name)", "")
        try contents.write(to: URL(filePath: "\(desktop.entries)/\(name)"))
      }
      _ = try? await desktop.command("update-desktop-database", "-q", desktop.entries)
      try await desktop.command("lsregister", "desktop", "enable")
      try await world.client.reload()
      #expect(try await world.client.handlers("made299") == ["made-299.desktop"])
      #expect(try await world.client.handlers("shared").count == 300)
      try desktop.setDefault("mailto", "made-123")
      try await world.client.reload()
      #expect(try await world.client.handlers("mailto").first == "made-123.desktop")
      #expect(try await world.client.open("mailto:a@b.example").handler == "made-123.desktop")
      #expect(try await world.client.handlers("photos") == ["com.example.photos"])
      for scheme in ["hidden", "up"] {
        #expect(try await world.client.handlers(scheme) == [], "\(scheme)")
      }
      // Ours are not taken for others', however often.
      try await desktop.command("launchservices-desktop", "export")
      #expect(desktop.exported == ["org.launchservices.handler.com.example.photos.desktop"])
      try await world.client.reload()
      #expect(try await world.client.open("made299:1").handler == "made-299.desktop")
      #expect(try await world.client.open("made250:1").handler == "com.example.photos")
    }
  }

  @Test("the name and the icon are those of the session's language, also after that has changed")
  func language() async throws {
    try await Desktop.run(environment: ["LANG": "de_DE.UTF-8"]) { world, desktop in
      try await desktop.install(
        "photos", schemes: ["photos"],
        others: "Icon=camera\nName[de]=Fotos\nIcon[de]=kamera\nName[fr]=Images")
      func expect(_ name: String, _ icon: String) async throws {
        try await world.client.reload()
        let application = try await desktop.command(
          "lsregister", "show", "--json", "photos.desktop")
        for words in ["\"display-name\":\"\(name)\"", "\"icon\":\"\(icon)\""] {
          #expect(application.joined().contains(words), "\(application)")
        }
      }
      try await expect("Fotos", "kamera")
      try await world.stopDaemon()
      try await world.startDaemon(environment: ["PATH": Desktop.path, "LANG": "fr_FR.UTF-8"])
      try await expect("Images", "camera")
    }
  }

  @Test("A FIFO and an entry of many megabytes delay no other entry, and are named in the log")
  func unreadable() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("photos", schemes: ["photos"])
      try await world.stopDaemon()
      try FileManager.default.removeItem(atPath: world.folder + "/cache")
      try await desktop.command("mkfifo", "\(desktop.entries)/fifo.desktop")
      try desktop.write(
        "\(desktop.entries)/big.desktop",
        "[Desktop Entry]\nType=Application\nName=big\nExec=true %u\nMimeType=text/plain;\n"
          + String(repeating: "# comment\n", count: 2_000_000))
      for (name, types) in [
        ("mimeinfo.cache", "MIME Cache"), ("mimeapps.list", "Default Applications"),
      ] {
        try desktop.write(
          "\(desktop.entries)/\(name)",
          "[\(types)]\nx-scheme-handler/photos=fifo.desktop;photos.desktop;\n"
            + "text/plain=big.desktop;fifo.desktop;\n")
      }
      try await world.startDaemon(environment: ["PATH": Desktop.path])
      #expect(try await world.client.handlers("photos") == ["photos.desktop"])
      try await world.daemon.line(
        containing: "big.desktop is ignored: it has more than 1048576 bytes")
      try await world.daemon.line(containing: "fifo.desktop is ignored: it is no regular file")
    }
  }

  private static let names = [
    "Photos", "two\nlines\r\nand more", "semi;colons; and = and # and [groups]",
    "ünïcödé 照片 😀", "  blanks  ", "back\\slash \\n \\s %u %% $(x) `y` \"quotes\"", "\t",
    String(repeating: "long ", count: 400), "\u{202e}reversed", "=", "#", "[Desktop Entry]",
  ]

  @Test("desktop-file-validate accepts what is exported, whatever the bundle is called")
  func validates() async throws {
    try await Desktop.run { world, desktop in
      for (index, name) in Self.names.enumerated() {
        var application = TestApplication("com.Example.odd-Name-\(index).x")
        application.schemes = ["photos\(index)", "a+b-c.d\(index)", "UPPER\(index)"]
        application.otherKeys = ["CFBundleName": .string(name)]
        application.otherFiles = [
          "de.lproj/InfoPlist.strings": "\"CFBundleName\" = \"Über; alles\\n\";"
        ]
        try world.put(application)
      }
      try await world.client.reload()
      try await desktop.command("launchservices-desktop", "export")
      #expect(desktop.exported.count == Self.names.count)
      for file in desktop.exported {
        #expect(
          try await desktop.command("desktop-file-validate", "\(desktop.entries)/\(file)") == [])
        #expect(desktop.contents("\(desktop.entries)/\(file)")?.contains("\u{202e}") == false)
      }
      let first = try #require(desktop.contents("\(desktop.entries)/\(desktop.exported[0])"))
      #expect(first.contains("MimeType=x-scheme-handler/photos0;x-scheme-handler/a+b-c.d0;"))
    }
  }
}
