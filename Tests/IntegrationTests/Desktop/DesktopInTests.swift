import Foundation
import LaunchServicesTesting
import Testing

@MainActor
@Suite(
  "The desktop bridge, in: the freedesktop world finds our handlers",
  .enabled(
    if: Desktop.isInstalled("update-desktop-database"), "needs the package desktop-file-utils"),
  .timeLimit(.minutes(30)))
struct DesktopInTests {
  private static let entry = "org.launchservices.handler.com.example.photos.desktop"

  @Test(
    "a URL from gio open and xdg-open reaches the handler, cold and warm, byte for byte",
    .enabled(if: Desktop.isInstalled("gio"), "needs the package libglib2.0-bin"))
  func opens() async throws {
    try await Desktop.run { world, desktop in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await desktop.command("lsregister", "desktop", "enable")
      // What comes by an exported entry may come from a page (R4.15).
      try await world.allow("photos", "com.example.photos")
      let shown = try await desktop.command("gio", "mime", "x-scheme-handler/photos")
      #expect(shown.contains { $0.contains(Self.entry) }, "\(shown)")

      let url = "photos:a%20b/../%2F?x=%C3%A4&y='$(z)'*;#f"
      try await desktop.command("gio", "open", url)
      #expect(try await photos.next() == .started)
      try await photos.next(.opened(url))
      try await desktop.command("gio", "open", url + "2")
      #expect(try await photos.next() == .opened(url + "2"))
      try #require(Desktop.isInstalled("xdg-open"), "needs the package xdg-utils")
      // Without a display it would look for a browser in the terminal.
      try await desktop.command("xdg-open", url + "3", environment: ["DISPLAY": ":99"])
      #expect(try await photos.next() == .opened(url + "3"))
    }
  }

  @Test("entries follow the registry, and bear names in every language") func follows() async throws
  {
    try await Desktop.run { world, desktop in
      try await desktop.command("lsregister", "desktop", "enable")
      #expect(desktop.exported == [])
      let photos = try await world.install("com.example.photos", schemes: ["photos", "about"]) {
        $0.otherKeys = [
          "CFBundleDisplayName": "Photos", "CFBundleIconFile": "Icon", "CFBundleName": "P",
        ]
        $0.otherFiles = [
          "Icon.png": "", "de.lproj/InfoPlist.strings": "\"CFBundleDisplayName\" = \"Fotos\";",
          "zh-Hans.lproj/InfoPlist.strings": "\"CFBundleDisplayName\" = \"照片\";",
          "fr.lproj/InfoPlist.strings": "\"CFBundleName\" = \"short\";",
        ]
      }
      let file = "\(desktop.entries)/\(Self.entry)"
      try await desktop.wait(for: desktop.entries) { desktop.exported == [Self.entry] }
      #expect(
        desktop.contents(file) == """
          [Desktop Entry]
          Type=Application
          Name=Photos
          Name[de]=Fotos
          Name[zh_CN]=照片
          Exec=\(Desktop.products)/lsopen --from-link %u
          Icon=\(photos.path)/Icon.png
          NoDisplay=true
          StartupNotify=true
          MimeType=x-scheme-handler/photos;
          X-LaunchServices-BundleIdentifier=com.example.photos

          """)

      try FileManager.default.removeItem(atPath: photos.path)
      try await desktop.wait(for: desktop.entries) { desktop.exported == [] }
      // The daemon does so after a restart, too.
      try await world.stopDaemon()
      try await world.startDaemon(environment: ["PATH": Desktop.path])
      try await world.install("com.example.notes", schemes: ["note"])
      try await desktop.wait(for: desktop.entries) { desktop.exported.count == 1 }
      try await desktop.command("lsregister", "desktop", "disable")
      #expect(desktop.exported == [])
    }
  }

  @Test(
    "R4.15 a system scheme is exported when it is named, and goes through us to the same program")
  func systemScheme() async throws {
    let share = URL(filePath: Example.folder).deletingLastPathComponent()
      .appending(path: "systemd/share").path
    try await Desktop.run(environment: ["XDG_DATA_DIRS": share]) { world, desktop in
      try await desktop.install("phone", schemes: ["tel"])
      try await desktop.command("lsregister", "desktop", "enable")
      #expect(desktop.exported == [])
      try await desktop.command("lsregister", "desktop", "enable", "tel")
      #expect(
        desktop.exported == [
          "org.launchservices.handler.org.launchservices.system.phone.desktop"
        ])
      let agent = try await world.confirmationAgent()
      try await desktop.command("gio", "open", "tel:1-408-555-5555")
      #expect(try await agent.isAsked().origin == "web")
      agent.answer(true)
      #expect(try await desktop.recorded().arguments == ["phone", "tel:1-408-555-5555"])
      #expect(desktop.recordings == 1)
      try await desktop.command("lsregister", "desktop", "disable", "tel")
      #expect(desktop.contents(desktop.mimeApps) == nil)
    }
  }

  @Test("ours is the default only where the user says so, and what was there comes back")
  func defaults() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos", "foo"])
      try await desktop.install("theirs", schemes: ["photos", "bar"])
      let before =
        "# mine\n[Default Applications]\nx-scheme-handler/photos=theirs.desktop\n\n[X]\na=b\n"
      try desktop.write(desktop.mimeApps, before)
      try await desktop.command("lsregister", "desktop", "enable")
      #expect(desktop.contents(desktop.mimeApps) == before)
      #expect(
        try await desktop.command("lsregister", "desktop", "status") == [
          "enabled",
          "foo  com.example.photos  default  \(Self.entry)",
        ])
      // Another application handles it, and nobody has asked for ours.
      #expect(
        try await desktop.command("gio", "mime", "x-scheme-handler/photos").contains {
          $0.contains(Self.entry)
        } == false)

      let chosen = try await desktop.command("lsregister", "desktop", "enable", "photos")
      #expect(chosen == ["photos  \(Self.entry)"])
      #expect(
        desktop.contents(desktop.mimeApps)
          == before.replacing("=theirs", with: "=\(Self.entry);theirs"))
      if Desktop.isInstalled("xdg-mime") {
        #expect(
          try await desktop.command("xdg-mime", "query", "default", "x-scheme-handler/photos")
            == [Self.entry])
      }
      let status = try await desktop.command("lsregister", "desktop", "status", "--json")
      #expect(
        status == [
          "{\"enabled\":true,\"schemes\":[{\"bundle-identifier\":\"com.example.photos\","
            + "\"default\":\"\(Self.entry)\",\"is-default\":true,\"scheme\":\"foo\"},"
            + "{\"bundle-identifier\":\"com.example.photos\",\"default\":\"\(Self.entry)\","
            + "\"is-default\":true,\"scheme\":\"photos\"}]}"
        ])
      try await desktop.command(
        "lsregister", "desktop", "enable", "bar",
        complaint:
          "the default handler of the scheme bar is theirs.desktop, which is not exported")

      // A loop is not made: the bridge passes over ours.
      #expect(
        try await desktop.command("lsregister", "desktop", "disable", "photos") == ["photos"])
      #expect(desktop.contents(desktop.mimeApps) == before)
      try await desktop.command("lsregister", "desktop", "enable", "--all")
      #expect(desktop.contents(desktop.mimeApps) != before)
      try await desktop.command("lsregister", "desktop", "disable")
      #expect(desktop.contents(desktop.mimeApps) == before)
      #expect(try await desktop.command("lsregister", "desktop", "status") == ["disabled"])
    }
  }

  @Test("a list that goes before the user's own is named") func overruled() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await desktop.install("theirs", schemes: ["photos"])
      let list = URL(filePath: desktop.mimeApps).deletingLastPathComponent().path
      try desktop.write(
        "\(list)/kde-mimeapps.list",
        "[Default Applications]\nx-scheme-handler/photos=theirs.desktop\n")
      try await desktop.command(
        "lsregister", "desktop", "enable", "photos",
        complaint: "the default for photos is still theirs.desktop: another mimeapps.list",
        environment: ["XDG_CURRENT_DESKTOP": "KDE"])
    }
  }

  @Test(
    "only the bridge has GIO", .enabled(if: Desktop.isInstalled("ldd")),
    arguments: [
      ("launchservicesd", false), ("lsopen", false), ("lsregister", false),
      ("launchservices-desktop", true),
    ])
  func linkage(_ program: String, _ hasGIO: Bool) async throws {
    try await Desktop.run { world, desktop in
      let lines = try await desktop.command("ldd", "\(Desktop.products)/\(program)")
      #expect(lines.contains { $0.contains("libgio-2.0") } == hasGIO)
    }
  }

  @Test("a mimeapps.list that cannot be read is left alone") func broken() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.photos", schemes: ["photos"])
      try desktop.write(desktop.mimeApps, "this is no list\n")
      try await desktop.command(
        "lsregister", "desktop", "enable", "photos",
        complaint: "was left alone, because it cannot be read")
      #expect(desktop.contents(desktop.mimeApps) == "this is no list\n")
    }
  }
}
