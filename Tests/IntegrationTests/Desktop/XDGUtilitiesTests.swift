import Foundation
import LaunchServicesTesting
import Testing

/// Scripts and applications that call `xdg-open`, `xdg-mime` and `xdg-settings`, with `lsopen` under these names in a
/// folder early in `PATH`.
@MainActor
@Suite(
  "In the place of xdg-open",
  .enabled(
    if: Desktop.isInstalled("xdg-open") && Desktop.isInstalled("gio"),
    "needs the packages xdg-utils and libglib2.0-bin"),
  .timeLimit(.minutes(30)))
struct XDGUtilitiesTests {
  /// Runs a command as a script would: by its name, which the shell finds in `PATH`.
  private static func run(
    _ line: String, _ world: Testbed, environment: [String: String] = [:]
  ) async throws -> (output: [String], end: String) {
    let folder = world.folder + "/names"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    for name in ["xdg-open", "xdg-mime", "xdg-settings"]
    where !FileManager.default.fileExists(atPath: "\(folder)/\(name)") {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(name)", withDestinationPath: Desktop.products + "/lsopen")
    }
    let variables = [
      "PATH": "\(folder):\(Desktop.path)", "DISPLAY": "", "WAYLAND_DISPLAY": "",
      "XDG_CURRENT_DESKTOP": "GNOME",
    ]
    let process = try world.startProcess(
      "/bin/sh", ["-c", line + "; echo status $?"],
      environment: variables.merging(environment) { $1 })
    let end = try await process.hasEnded()
    return (process.lines, end)
  }

  private static func expect(
    _ line: String, _ expected: [String], _ world: Testbed,
    environment: [String: String] = [:], at place: SourceLocation = #_sourceLocation
  ) async throws {
    let (output, end) = try await run(line, world, environment: environment)
    #expect(end == "exited with code 0", sourceLocation: place)
    #expect(output == expected, "\(line)", sourceLocation: place)
  }

  @Test("A script's xdg-open delivers each URL once, and its status says what became of it")
  func opens() async throws {
    try await Desktop.run { world, desktop in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await world.allow("photos", "com.example.photos")
      try await desktop.install("reader", schemes: ["feed"])
      try await world.client.reload()
      try await Self.expect("xdg-open 'photos:cold'", ["status 0"], world)
      #expect(try await photos.next() == .started)
      try await photos.next(.opened("photos:cold"))
      try await Self.expect("xdg-open 'photos:a b'", ["status 0"], world)
      #expect(try await photos.next() == .opened("photos:a b"))
      try await Self.expect("xdg-open feed:1", ["status 0"], world)
      #expect(try await desktop.recorded().arguments == ["reader", "feed:1"])
      try await Self.expect(
        "xdg-open 'no such file'",
        [
          "xdg-open: The file \(world.folder)/home/no such file does not exist.", "status 2",
        ], world)
      try await Self.expect(
        "xdg-open nobody:1",
        [
          "xdg-open: no application is registered for the scheme nobody (OSStatus error -10814)",
          "status 4",
        ], world)
    }
  }

  @Test(
    "URLs arrive byte for byte, as from the xdg-open of xdg-utils",
    arguments: [
      "feed:a b|c", "feed:%zz", "feed://münchen.example/ü?ä#ö", "feed:[{\"x\"}]",
      "feed://💩.example/",
      "https://münchen.example/ü b", "https://💩.example/?q=ü",
    ])
  func unchanged(url: String) async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("reader", schemes: ["feed", "https"])
      try await world.client.reload()
      try await Self.expect("xdg-open '\(url)'", ["status 0"], world)
      #expect(try await desktop.recorded().arguments == ["reader", url])
    }
  }

  @Test("Control characters are refused, and a missing file is 2 in both forms") func refused()
    async throws
  {
    try await Desktop.run { world, desktop in
      try await desktop.install("reader", schemes: ["feed"])
      try await world.client.reload()
      let (output, _) = try await Self.run("xdg-open \"$(printf 'feed:a\\033b')\"", world)
      #expect(output.last == "status 4")
      for name in ["file:///nothere", "/nothere"] {
        let (output, _) = try await Self.run("xdg-open \(name)", world)
        #expect(output.last == "status 2")
      }
      #expect(desktop.recordings == 0)
    }
  }

  @Test("xdg-settings answers right at once after xdg-mime of xdg-utils has changed a default")
  func setByOther() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("one", schemes: ["feed"])
      try await desktop.install("two", schemes: ["feed"])
      try await world.client.reload()
      for name in ["two", "one", "two"] {
        try await Self.expect(
          "xdg-mime default \(name).desktop x-scheme-handler/feed"
            + "; xdg-settings check default-url-scheme-handler feed \(name).desktop",
          ["yes", "status 0"], world)
      }
    }
  }

  @Test("xdg-settings set fails where the user's choice in lsregister default goes before")
  func setWithoutEffect() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("reader", schemes: ["feed"])
      try await desktop.install("other", schemes: ["feed"])
      try await world.client.reload()
      try await desktop.command("lsregister", "default", "feed", "other.desktop")
      try await Self.expect(
        "xdg-settings set default-url-scheme-handler feed reader.desktop",
        [
          "xdg-settings: reader.desktop is the default of the desktop for feed, but Launch Services opens URLs"
            + " of this scheme with other.desktop (the user's choice); to change that: lsregister default feed"
            + " reader.desktop", "status 4",
        ], world)
      try await desktop.command("lsregister", "default", "feed", "reader.desktop")
      try await Self.expect(
        "xdg-settings set default-url-scheme-handler feed reader.desktop", ["status 0"], world)
    }
  }

  @Test("Questions name the application that opens, and other command lines go to xdg-utils")
  func questions() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("reader", schemes: ["feed"])
      try await desktop.install("other", schemes: ["feed"])
      try desktop.setDefault("feed", "other")
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.client.reload()
      try await Self.expect(
        "xdg-mime query default x-scheme-handler/feed", ["other.desktop", "status 0"], world)
      try await Self.expect(
        "xdg-settings check default-url-scheme-handler feed reader.desktop", ["no", "status 0"],
        world)
      try await Self.expect("xdg-mime query default x-scheme-handler/photos", ["status 0"], world)
      // Mail is a system application, in whose place the default of the desktop opens URLs.
      try await desktop.install("post", schemes: ["mailto"])
      try await world.client.reload()
      try await Self.expect(
        "xdg-mime query default x-scheme-handler/mailto", ["post.desktop", "status 0"], world)
      try await desktop.command("lsregister", "desktop", "enable")
      try await Self.expect(
        "xdg-settings get default-url-scheme-handler photos",
        ["org.launchservices.handler.com.example.photos.desktop", "status 0"], world)
      try await Self.expect(
        "xdg-settings --list | head -1", ["Known properties:", "status 0"], world)
      // The xdg-settings of xdg-utils would make it the default for text/html, too.
      let before = try #require(desktop.contents(desktop.mimeApps))
      try await Self.expect(
        "xdg-settings set default-url-scheme-handler feed reader.desktop", ["status 0"], world)
      #expect(
        desktop.contents(desktop.mimeApps)
          == before.replacing("feed=other.desktop", with: "feed=reader.desktop"))
      try await Self.expect(
        "xdg-settings get default-url-scheme-handler feed", ["reader.desktop", "status 0"], world)
      try await Self.expect(
        "xdg-settings get default-url-scheme-handler",
        [
          "xdg-settings: a URL scheme is missing after default-url-scheme-handler",
          "Try 'xdg-settings --help' for more information.", "status 1",
        ], world)
      try await Self.expect(
        "xdg-settings set default-url-scheme-handler feed nosuch.desktop",
        [
          "xdg-settings: no desktop application nosuch.desktop is installed", "status 2",
        ], world)
      try desktop.write(world.folder + "/home/letter.txt", "Dear reader")
      try await Self.expect(
        "xdg-mime query filetype letter.txt", ["text/plain", "status 0"], world)
      try await Self.expect(
        "xdg-mime query filetype nosuch.txt",
        ["xdg-mime: file 'nosuch.txt' does not exist", "status 2"], world)
    }
  }

  @Test("Two programs that pass a command line on to each other end") func rounds() async throws {
    try await Desktop.run { world, desktop in
      let folder = world.folder + "/rounds"
      try desktop.write(folder + "/xdg-open", "#!/bin/sh\necho pass\nexec xdg-open \"$@\"\n")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: folder + "/xdg-open")
      let (output, _) = try await Self.run(
        "PATH=$(dirname $(command -v xdg-open)):\(folder):/usr/bin:/bin; xdg-open feed:1", world,
        environment: [
          "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "XDG_RUNTIME_DIR": "/nowhere",
        ])
      #expect(output.count { $0 == "pass" } == 10)
      #expect(output.last == "status 3")
    }
  }

  @Test("Without a daemon the xdg-open of xdg-utils opens the URL") func withoutDaemon()
    async throws
  {
    try await Desktop.run { world, desktop in
      try await desktop.install(
        "reader", schemes: ["feed"], exec: "/bin/touch \(world.folder)/opened-%u")
      let noDaemon = [
        "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "XDG_RUNTIME_DIR": "/nowhere",
      ]
      try await Self.expect(
        "xdg-open feed:1 >/dev/null 2>&1", ["status 0"], world, environment: noDaemon)
      try await waitUntil("the program of the desktop entry has run") {
        FileManager.default.fileExists(atPath: world.folder + "/opened-feed:1")
      }
      // Also when there is no other one.
      let (output, _) = try await Self.run(
        "PATH=$(dirname $(command -v xdg-open)); xdg-open feed:1", world, environment: noDaemon)
      #expect(output.first?.hasPrefix("xdg-open: the session bus cannot be reached") == true)
      #expect(output.last == "status 3")
    }
  }
}
