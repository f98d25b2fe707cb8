import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite(
  "The user's mimeapps.list comes back as it was",
  .enabled(
    if: Desktop.isInstalled("update-desktop-database"), "needs the package desktop-file-utils"),
  .timeLimit(.minutes(30)))
struct MimeAppsTests {
  /// Nil stands for no file.
  private static let lists: [String?] = [
    nil, "", "\n", "# only this", "[Default Applications]\n", "[Default Applications]\n# inside\n",
    "[Default Applications]\nx-scheme-handler/photos=\nx-scheme-handler/note=;\n",
    "[Default Applications]\nx-scheme-handler/photos=a.desktop\n[X]\na=b\n[Default Applications]\n"
      + "# again\nx-scheme-handler/photos=b.desktop\nx-scheme-handler/photos=c.desktop\n[X]\na=c\n",
    "  [Default Applications]\r\n\tx-scheme-handler/photos = theirs.desktop ; \r\n\r\n#end",
  ]

  @Test("byte for byte, whatever it was, and enabling twice is enabling once") func comesBack()
    async throws
  {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos", "note"])
      for list in Self.lists {
        try? FileManager.default.removeItem(atPath: desktop.mimeApps)
        if let list { try desktop.write(desktop.mimeApps, list) }
        try await desktop.command("lsregister", "desktop", "enable", "photos")
        try await desktop.command("lsregister", "desktop", "enable", "note")
        let enabled = desktop.contents(desktop.mimeApps)
        #expect(enabled != list)
        try await desktop.command("lsregister", "desktop", "enable", "photos", "note")
        #expect(desktop.contents(desktop.mimeApps) == enabled)
        try await desktop.command("lsregister", "desktop", "disable", "photos")
        #expect(desktop.contents(desktop.mimeApps) != list)
        try await desktop.command("lsregister", "desktop", "disable")
        #expect(desktop.contents(desktop.mimeApps) == list)
      }
    }
  }

  @Test("when Launch Services are uninstalled, too: the program needs no daemon for that")
  func withdrawn() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos", "note"])
      let before = "[Default Applications]\nx-scheme-handler/photos=theirs.desktop\n"
      try desktop.write(desktop.mimeApps, before)
      try await desktop.command("lsregister", "desktop", "enable", "photos", "note")
      #expect(!desktop.exported.isEmpty)
      // An earlier version had written this.
      try desktop.write(desktop.formerClaims, "")
      try await world.stopDaemon()
      try await desktop.command(
        "launchservices-desktop", "withdraw",
        environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
      #expect(desktop.contents(desktop.mimeApps) == before)
      #expect(desktop.exported.isEmpty && desktop.contents(desktop.formerClaims) == nil)
    }
  }

  @Test("also behind a symbolic link, which stays, even one that leads nowhere") func links()
    async throws
  {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      let file = world.folder + "/dotfiles/list"
      try desktop.write(file, "# mine\n")
      for list in ["# mine\n", nil] {
        try? FileManager.default.removeItem(atPath: desktop.mimeApps)
        if list == nil { try FileManager.default.removeItem(atPath: file) }
        try FileManager.default.createSymbolicLink(
          atPath: desktop.mimeApps, withDestinationPath: "../dotfiles/list")
        try await desktop.command("lsregister", "desktop", "enable", "photos")
        #expect(desktop.contents(file)?.contains("x-scheme-handler/photos=") == true)
        try await desktop.command("lsregister", "desktop", "disable")
        #expect(desktop.contents(file) == list)
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: desktop.mimeApps)
        #expect(link == "../dotfiles/list")
      }
    }
  }

  @Test("without what somebody else has changed in it since") func changedSince() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      let before = "[Default Applications]\nx-scheme-handler/photos=theirs.desktop\n"
      try desktop.write(desktop.mimeApps, before)
      try await desktop.command("lsregister", "desktop", "enable", "photos")
      let added = "# since\ntext/html=web.desktop\n"
      let enabled = try #require(desktop.contents(desktop.mimeApps))
      try desktop.write(desktop.mimeApps, enabled + added)
      try await desktop.command("lsregister", "desktop", "disable")
      #expect(desktop.contents(desktop.mimeApps) == before + added)
    }
  }

  @Test("An exported entry that somebody made a link is replaced, not what the link leads to")
  func linkedEntry() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      let entry = desktop.entries + "/org.launchservices.handler.com.example.photos.desktop"
      try await desktop.command("launchservices-desktop", "export")
      let exported = try #require(desktop.contents(entry))
      let file = world.folder + "/precious"
      for precious in ["precious", exported] {
        try desktop.write(file, precious)
        try FileManager.default.removeItem(atPath: entry)
        try FileManager.default.createSymbolicLink(atPath: entry, withDestinationPath: file)
        try await desktop.command("launchservices-desktop", "export")
        #expect(desktop.contents(file) == precious)
        #expect(desktop.contents(entry) == exported)
        #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: entry)) == nil)
      }
    }
  }
}
