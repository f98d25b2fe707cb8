import Foundation
import Glibc
import Host
import LaunchServicesTesting
import Testing

private let missing = [
  ("/usr/bin/transmission-gtk", "transmission-gtk"), ("/usr/bin/firefox-esr", "firefox-esr"),
  ("/usr/bin/Xvfb", "xvfb"), ("/usr/bin/python3", "python3"),
  ("/usr/bin/update-desktop-database", "desktop-file-utils"),
].filter { !FileManager.default.isExecutableFile(atPath: $0.0) }.map(\.1).joined(separator: " ")

private func isInstalled(_ program: String) -> Bool {
  FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
}

/// Applications of Debian, without a property list. What they got is seen in the applications.
@MainActor
@Suite(
  "Applications of Debian that run already", .serialized, .timeLimit(.minutes(30)),
  .enabled(if: missing.isEmpty, "needs the packages \(missing)"))
struct RealApplicationTests {
  /// What `lsopen --json` prints.
  private struct Receipt: Decodable {
    var handler: String?
    var delivery: String?
    var launch: String?
    var error: String?
    var message: String?
    var trail: [Step]?
    struct Step: Decodable { var state: String }
    /// The way and the result.
    var end: [String] { (trail ?? []).suffix(2).map(\.state) }
  }

  /// The ends of the receipt of an application that was started: it may take URLs in its protocol at once, or later.
  private static let ofStart = [["arguments", "unacknowledged"], ["arguments", "handed-over"]]

  private struct Screen {
    let world: Testbed
    let desktop: Desktop
    let display: String

    /// Installs a copy of the entry that the package has.
    @MainActor func installEntry(_ name: String) async throws {
      try FileManager.default.createDirectory(
        atPath: desktop.entries, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: "/usr/share/applications/\(name)", toPath: "\(desktop.entries)/\(name)")
      // GIO finds handlers by the index that this makes.
      try await desktop.command("update-desktop-database", desktop.entries)
    }

    /// Opens a URL on this screen.
    @MainActor func open(_ arguments: String...) async throws -> Receipt {
      try await open(arguments)
    }

    @MainActor func open(_ arguments: [String]) async throws -> Receipt {
      let file = "\(world.folder)/receipt-\(UUID().uuidString)"
      var launch = Launch(
        executable: "\(Desktop.products)/lsopen", arguments: ["--json"] + arguments,
        environment: world.environment.merging(["DISPLAY": display]) { $1 },
        workingDirectory: world.folder)
      launch.standardOutput = .file(file)
      _ = try await world.startProcess(launch).hasEnded()
      let output = desktop.contents(file) ?? ""
      return try JSONDecoder().decode(Receipt.self, from: Data(output.utf8))
    }
  }

  private func run(_ body: @MainActor (Screen) async throws -> Void) async throws {
    try await Desktop.run { world, desktop in
      let server = try world.startProcess(
        "/usr/bin/Xvfb", Browser.screenOptions)
      let number = try await Browser.number(of: server)
      try await body(Screen(world: world, desktop: desktop, display: ":\(number)"))
    }
  }

  /// The processes of Transmission that belong to this world.
  private func transmissions(_ world: Testbed) -> [Int32] {
    ProcessDetails.ofThisUser().filter {
      $0.name.hasPrefix("transmission-g") && !$0.hasEnded
        && $0.environmentAtStart["HOME"] == world.environment["HOME"]
    }.map(\.pid)
  }

  @Test(
    "Transmission gets each magnet link by GTK's Open, and starts once; killed, it is started again"
  )
  func transmission() async throws {
    try await run { screen in
      let (world, desktop) = (screen.world, screen.desktop)
      let folder = try #require(world.environment["XDG_CONFIG_HOME"]) + "/transmission"
      try desktop.write(
        folder + "/settings.json",
        #"{"user-has-given-informed-consent": true, "show-options-window": false, "start-added-torrents": false}"#
      )
      try await desktop.install(
        "transmission-gtk", schemes: ["magnet"],
        exec: "env XDG_DATA_DIRS=/usr/share /usr/bin/transmission-gtk %U")
      try await world.client.reload()
      func hash(_ number: Int) -> String { String(repeating: "\(number)", count: 40) }
      func hasTorrent(_ number: Int) async throws {
        let file = "\(folder)/torrents/\(hash(number)).torrent"
        try await waitUntil("the torrent \(number)") {
          FileManager.default.fileExists(atPath: file)
        }
      }
      func link(_ number: Int) -> String { "magnet:?xt=urn:btih:\(hash(number))&dn=t\(number)" }

      let cold = try await screen.open(link(1))
      #expect(cold.handler == "transmission-gtk.desktop", "\(cold)")
      #expect(Self.ofStart.contains(cold.end), "\(cold)")
      try await hasTorrent(1)
      for number in 2...5 {
        let warm = try await screen.open(link(number))
        #expect(warm.end == ["gtk-open", "delivered"])
        #expect(warm.launch == "warm")
        try await hasTorrent(number)
      }
      let running = transmissions(world)
      #expect(running.count == 1)

      let opens = (100..<200).map { number in
        world.client.opening("magnet:?xt=urn:btih:\(String(repeating: "0", count: 37))\(number)")
      }
      // No second process: its way is named "arguments".
      for open in opens {
        #expect(try await open.receipt().trail.suffix(2) == ["gtk-open", "delivered"])
      }
      try await waitUntil("a hundred torrents more") {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder + "/torrents")
        return files?.count == 105
      }

      for pid in running { kill(pid, SIGKILL) }
      try await waitUntil("the end of Transmission") {
        transmissions(world).isEmpty
      }
      let again = try await screen.open(link(6))
      #expect(
        Self.ofStart.contains(again.end),
        "\(again); \(world.daemon.lines.suffix(20))")
      try await hasTorrent(6)
      #expect(transmissions(world).count == 1)

      // One that quits still owns its name, answers, and loses the link. A machine that is busy may take longer than the
      // two seconds for which the process is observed.
      for pid in transmissions(world) { kill(pid, SIGTERM) }
      let last = try await screen.open(link(7))
      #expect(["DeliveryUnknown", nil].contains(last.error), "\(last)")
      // One that had ended before the open was started again.
      for pid in transmissions(world) { kill(pid, SIGKILL) }
      try await waitUntil("the end of Transmission") { transmissions(world).isEmpty }
    }
  }

  /// - Parameter isConfigured: whether the profiles are in the folder for configuration, where newer versions make them.
  private func installFirefox(on screen: Screen, isConfigured: Bool = false) async throws {
    let (world, desktop) = (screen.world, screen.desktop)
    let folder =
      isConfigured
      ? try #require(world.environment["XDG_CONFIG_HOME"]) + "/mozilla/firefox"
      : try #require(world.environment["HOME"]) + "/.mozilla/firefox"
    try desktop.write(
      folder + "/profiles.ini",
      "[Profile0]\nName=test\nIsRelative=1\nPath=test\nDefault=1\n\n[General]\nVersion=2\n")
    try desktop.write(
      folder + "/test/user.js",
      """
      user_pref("datareporting.policy.dataSubmissionEnabled", false);
      user_pref("browser.aboutwelcome.enabled", false);
      user_pref("browser.shell.checkDefaultBrowser", false);
      """)
    try await desktop.install(
      "firefox-esr", schemes: ["http"], exec: "/usr/lib/firefox-esr/firefox-esr %u")
    try await world.client.reload()
  }

  @Test(
    "Firefox gets each URL by its remote, and shows the page, wherever its profiles are",
    arguments: [false, true])
  func firefox(isConfigured: Bool) async throws {
    try await run { screen in
      try await installFirefox(on: screen, isConfigured: isConfigured)
      try await expectPages("firefox-esr.desktop", by: "mozilla-remote", on: screen)
    }
  }

  /// Chromium aborts when the bus ends, and the process that reports this would outlive the test.
  private func endChromium(in world: Testbed) async throws {
    func processes() -> [ProcessDetails] {
      ProcessDetails.ofThisUser().filter {
        $0.executable?.path.hasPrefix("/usr/lib/chromium/") == true && !$0.hasEnded
          && $0.environmentAtStart["HOME"] == world.environment["HOME"]
      }
    }
    let all = processes()
    let numbers = Set(all.map(\.pid))
    for process in all where !numbers.contains(process.parent) { kill(process.pid, SIGTERM) }
    try await waitUntil("the end of Chromium") { processes().isEmpty }
  }

  @Test(
    "Chromium gets each URL by its singleton, and shows the page",
    .enabled(if: isInstalled("chromium"), "needs the package chromium"))
  func chromium() async throws {
    try await run { screen in
      // Chromium refuses to run as root with a sandbox of its own.
      let sandbox = geteuid() == 0 ? "--no-sandbox" : ""
      try await screen.desktop.install(
        "chromium", schemes: ["http"],
        exec: "/usr/bin/chromium --no-first-run --disable-gpu \(sandbox) %U")
      try await screen.world.client.reload()
      try await expectPages("chromium.desktop", by: "chromium-singleton", on: screen)
      try await endChromium(in: screen.world)
    }
  }

  @Test("Firefox, which does not run, gets all of several URLs that are opened at once")
  func severalAtOnce() async throws {
    try await run { screen in
      try await installFirefox(on: screen)
      let (server, port) = try await startPages(in: screen.world)
      let opens = (1...4).map { number in
        Task {
          try await screen.open(
            "-b", "firefox-esr.desktop", "http://127.0.0.1:\(port)/page\(number)")
        }
      }
      var receipts: [Receipt] = []
      for open in opens { receipts.append(try await open.value) }
      #expect(
        Set(receipts.map { $0.end.first ?? "" }) == ["arguments", "mozilla-remote"], "\(receipts)")
      try await waitUntil("the pages") {
        (1...4).allSatisfy { number in
          server.lines.contains { $0.contains("GET /page\(number) ") }
        }
      }
    }
  }

  /// A browser whose second process forwards the URL to the first.
  struct Forwarder: Sendable, CustomTestStringConvertible {
    var entry: String
    var program: String
    var package: String
    /// A variable without which the browser does not run as root, in a container.
    var variable: String

    var testDescription: String { package }

    static let all = [
      Forwarder(
        entry: "org.kde.falkon.desktop", program: "falkon", package: "falkon",
        variable: "QTWEBENGINE_DISABLE_SANDBOX=1"),
      Forwarder(
        entry: "org.qutebrowser.qutebrowser.desktop", program: "qutebrowser",
        package: "qutebrowser", variable: "QTWEBENGINE_DISABLE_SANDBOX=1"),
      Forwarder(
        entry: "org.gnome.Epiphany.desktop", program: "epiphany",
        package: "epiphany-browser", variable: "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1"),
    ]
  }

  @Test(
    "A second process forwards each URL to the browser that runs",
    .enabled(
      if: Forwarder.all.allSatisfy { isInstalled($0.program) },
      "needs the packages falkon, qutebrowser and epiphany-browser"), arguments: Forwarder.all)
  func forwards(_ browser: Forwarder) async throws {
    try await run { screen in
      try await screen.installEntry(browser.entry)
      try await screen.world.client.reload()
      try await expectPages(
        browser.entry, by: "arguments", on: screen, "--env", browser.variable, "--env",
        "XDG_DATA_DIRS=/usr/share")
    }
  }

  @Test(
    "Konversation, which takes URLs by its bus name, joins a chat for each",
    .enabled(if: isInstalled("konversation"), "needs the package konversation"))
  func konversation() async throws {
    try await run { screen in
      let (world, desktop) = (screen.world, screen.desktop)
      // Without the questions of a first start.
      try desktop.write(
        try #require(world.environment["XDG_CONFIG_HOME"]) + "/konversationrc",
        """
        [Identity 0]
        Name=Default Identity
        Nicknames=tester,tester1
        Ident=tester
        Realname=tester
        [Startup Options]
        ShowServerList=false

        """)
      try await screen.installEntry("org.kde.konversation.desktop")
      try await world.client.reload()
      let server = try world.startProcess("/usr/bin/python3", [Fixture.path("irc-server.py")])
      let line = try await server.line(containing: "irc-server port ")
      let port = try #require(line.split(separator: " ").last)
      for (number, ends) in [
        (1, Self.ofStart), (2, [["freedesktop-application", "delivered"]]),
        (3, [["freedesktop-application", "delivered"]]),
      ] {
        let receipt = try await screen.open("irc://127.0.0.1:\(port)/chat\(number)")
        #expect(receipt.handler == "org.kde.konversation.desktop")
        #expect(ends.contains(receipt.end), "\(receipt)")
        try await server.line(containing: " joined #chat\(number)")
      }
      // Konversation joins the chat of its command line twice, also without us.
      #expect(
        server.lines.filter { $0.contains(" joined ") }
          == [1, 1, 2, 3].map { "irc-server 1 joined #chat\($0)" })
    }
  }

  @Test(
    "qBittorrent gets each magnet link at its socket, once, and no second process",
    .enabled(if: isInstalled("qbittorrent"), "needs the package qbittorrent"))
  func qBittorrent() async throws {
    try await run { screen in
      let (world, desktop) = (screen.world, screen.desktop)
      try desktop.write(
        try #require(world.environment["XDG_CONFIG_HOME"]) + "/qBittorrent/qBittorrent.conf",
        """
        [LegalNotice]
        Accepted=true
        [AddNewTorrentDialog]
        Enabled=false
        [BitTorrent]
        Session\\AddTorrentStopped=true

        """)
      try await screen.installEntry("org.qbittorrent.qBittorrent.desktop")
      try await world.client.reload()
      for (number, ends) in [
        (1, Self.ofStart), (2, [["qt-local-peer", "handed-over"]]),
        (3, [["qt-local-peer", "handed-over"]]),
      ] {
        let hash = String(repeating: "\(number)", count: 40)
        let receipt = try await screen.open("magnet:?xt=urn:btih:\(hash)&dn=t\(number)")
        #expect(receipt.handler == "org.qbittorrent.qBittorrent.desktop")
        #expect(ends.contains(receipt.end), "\(receipt)")
        let file = "\(desktop.dataHome)/qBittorrent/BT_backup/\(hash).fastresume"
        try await waitUntil("the torrent \(number)") {
          FileManager.default.fileExists(atPath: file)
        }
      }
    }
  }

  /// A server that prints each request, and its port.
  private func startPages(in world: Testbed) async throws -> (ObservedProcess, String) {
    let server = try world.startProcess(
      "/usr/bin/python3", ["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
    let line = try await server.line(containing: "Serving HTTP on 127.0.0.1 port ")
    return (server, String(try #require(line.split(separator: " ").dropFirst(5).first)))
  }

  /// Opens a page cold and two pages warm.
  /// - Parameter options: more options of lsopen.
  private func expectPages(
    _ name: String, by way: String, on screen: Screen, _ options: String...
  ) async throws {
    let (server, port) = try await startPages(in: screen.world)
    func page(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)?a=%20b" }
    let cold = try await screen.open(options + ["-b", name, page("one")])
    // What the browser says about its end is in the log of the daemon.
    #expect(
      Self.ofStart.contains(cold.end),
      "\(cold); \(screen.world.daemon.lines.suffix(20))")
    try await server.line(containing: "GET /one?a=%20b")
    for path in ["two", "three"] {
      let warm = try await screen.open(options + ["-b", name, page(path)])
      #expect(warm.end == [way, "handed-over"], "\(warm)")
      #expect(warm.launch == "warm")
      try await server.line(containing: "GET /\(path)?a=%20b")
    }
  }
}
