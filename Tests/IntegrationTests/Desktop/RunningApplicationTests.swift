import BusContract
import DBus
import Foundation
import Glibc
import Host
import LaunchServicesTesting
import Testing

private let missing = [
  ("/usr/lib/python3/dist-packages/gi/__init__.py", "python3-gi"),
  ("/usr/lib/python3/dist-packages/dbus/__init__.py", "python3-dbus"),
  ("/usr/bin/update-desktop-database", "desktop-file-utils"), ("/usr/bin/bwrap", "bubblewrap"),
].filter { !FileManager.default.fileExists(atPath: $0.0) }.map(\.1).joined(separator: " ")

/// Desktop applications that run already get URLs in the protocol that the table has for them.
@MainActor
@Suite(
  "Applications that run already", .timeLimit(.minutes(30)),
  .enabled(if: missing.isEmpty, "needs the packages \(missing)"))
struct RunningApplicationTests {
  private static let dino = "im.dino.Dino"
  private static let celluloid = "io.github.celluloid_player.Celluloid"
  private static let konversation = "org.kde.konversation"

  /// Installs a `GApplication` as one of the table, and starts it with a first URL. The program is in Python; the messages
  /// and the flags are those of GLib's `GApplication`, which is also the one of programs in C and of Flutter.
  private func start(
    _ name: String, _ kind: String, in world: Testbed, _ desktop: Desktop
  ) async throws {
    let script = Fixture.path("gapplication.py")
    try await desktop.install(
      name, schemes: ["chat"], exec: "/usr/bin/python3 \(script) \(kind) \(name) %U")
    try await world.client.reload()
    let cold = try await world.client.open("chat:0")
    #expect(cold.handler == name + ".desktop")
    #expect(Outcome.ofStart.contains(cold.outcome))
    try await world.daemon.line(containing: "gapplication started")
    try await world.daemon.line(containing: "chat:0")
  }

  private func starts(_ world: Testbed, _ text: String = "gapplication started") -> Int {
    world.daemon.lines.filter { $0.contains(text) }.count
  }

  /// The failure of an open, which has to fail.
  private func failure(_ world: Testbed, _ url: String) async -> Refusal? {
    do {
      Issue.record("\(url): \(try await world.client.open(url))")
      return nil
    } catch {
      return error
    }
  }

  @Test("get a hundred URLs by the method Open of GTK, once each, in order, without a new process")
  func gtkOpen() async throws {
    try await Desktop.run { world, desktop in
      try await start(Self.dino, "open", in: world, desktop)
      let opens = (1...100).map { world.client.opening("chat:\($0)?a=%20b#c") }
      for open in opens {
        let receipt = try await open.receipt()
        #expect(receipt.outcome == .deliveredWarm)
        #expect(receipt.trail.suffix(2) == ["gtk-open", "delivered"])
      }
      for number in 1...100 {
        let line = try await world.daemon.line(containing: "gapplication open")
        #expect(line.hasSuffix("open chat:\(number)?a=%20b#c"), "\(line)")
      }
      #expect(starts(world, "gapplication process") == 1)
    }
  }

  @Test(
    "are started, and take URLs later: the record says so from then on, and the URL arrives once")
  func startsSlowly() async throws {
    try await Desktop.run { world, desktop in
      // No other test starts the same program.
      let name = "org.example.Slow"
      let gate = "\(world.folder)/gate"
      try #require(unsafe mkfifo(gate, 0o600) == 0)
      let script = Fixture.path("gapplication.py")
      try await desktop.install(
        name, schemes: ["chat"],
        exec: "env GAPPLICATION_GATE=\(gate) /usr/bin/python3 \(script) open \(name) %U")
      try await desktop.handOver(["\(name).desktop", "gtk-open", name])
      try await world.client.reload()
      var options = OpenOptions()
      options.requestID = "one"
      #expect(try await world.client.open("chat:0", options).outcome == .unacknowledgedCold)
      #expect(try await world.history().first?["fate"]?.asString == "unacknowledged")
      try "go\n".write(toFile: gate, atomically: false, encoding: .utf8)
      try await waitUntil("the new result") {
        try await world.history().first?["fate"]?.asString == "handed-over"
      }
      let again = try await world.client.open("chat:0", options)
      #expect(again.outcome == .handedOverCold)
      #expect(
        again.trail.suffix(3) == ["arguments", "unacknowledged", "handed-over"], "\(again.trail)")
      #expect(try await world.client.open("chat:1").outcome == .deliveredWarm)
      let opened = world.daemon.lines.filter { $0.contains("gapplication open chat:") }
      #expect(opened.count == 2, "\(opened)")
    }
  }

  @Test("get URLs in the way that the user has chosen, at once, and in the built-in way again")
  func chosen() async throws {
    try await Desktop.run { world, desktop in
      let name = "org.example.Chosen"
      func handOver(_ words: String...) async throws {
        try await desktop.handOver(["\(name).desktop"] + words)
      }
      try await start(name, "open", in: world, desktop)
      #expect(try await world.client.open("chat:1").trail.contains("arguments"))
      try await handOver("gtk-open", name)
      #expect(try await world.client.open("chat:2").trail.suffix(2) == ["gtk-open", "delivered"])
      #expect(
        try await desktop.command("lsregister", "handover", "\(name).desktop") == [
          "\(name).desktop  gtk-open \(name)  your choice"
        ])
      try await handOver("none")
      #expect(try await world.client.open("chat:3").trail.contains("arguments"))
      try await handOver("default")
      #expect(
        try await desktop.command("lsregister", "handover", "\(name).desktop") == [
          "\(name).desktop  none  built in"
        ])
      let all = try await desktop.command("lsregister", "handover")
      #expect(
        all.contains { $0.hasPrefix("firefox.desktop ") && $0.hasSuffix("  built in") }, "\(all)")
    }
  }

  @Test("a way that cannot be is refused, and choices that cannot be read count as none")
  func wrongChoice() async throws {
    try await Desktop.run { world, desktop in
      for words in [["a.desktop", "gtk-open"], ["a", "none"], ["a.desktop", "frob", "a.b"]] {
        let lsregister = try world.startProcess(
          "\(Desktop.products)/lsregister", ["handover"] + words)
        #expect(try await lsregister.hasEnded() == "exited with code 64")
      }
      let mistyped = try world.startProcess(
        "\(Desktop.products)/lsregister", ["handover", "im.dino.Dnio.desktop", "none"])
      try await mistyped.line(
        containing: "no application im.dino.Dnio.desktop is registered; 'lsregister list' shows")
      // What is not installed, and in no table, has no way.
      for command in [["handover"], ["guard", "allow"]] {
        let words = command + ["im.dino.Dnoi.desktop"]
        let lsregister = try world.startProcess("\(Desktop.products)/lsregister", words)
        try await lsregister.line(
          containing: "no application im.dino.Dnoi.desktop is registered; 'lsregister list' shows")
      }
      try await start(Self.dino, "open", in: world, desktop)
      try desktop.write("\(world.folder)/config/launch-services/handover.plist", "nonsense")
      #expect(try await world.client.open("chat:1").trail.contains("arguments"))
      try await world.daemon.line(containing: "handover.plist cannot be used")
    }
  }

  @Test("are never sent Open, where they take command lines and would drop it")
  func noOpenHandler() async throws {
    try await Desktop.run { world, desktop in
      try await start(Self.dino, "both-no-open", in: world, desktop)
      let receipt = try await world.client.open("chat:1")
      #expect(receipt.outcome == .handedOverWarm)
      try await world.daemon.line(containing: "gapplication command-line chat:1")
      #expect(starts(world) == 1)
    }
  }

  @Test("get command lines, where the table says so; a status is a refusal")
  func commandLines() async throws {
    try await Desktop.run { world, desktop in
      try await start(Self.celluloid, "both", in: world, desktop)
      let receipt = try await world.client.open("chat:1")
      #expect(receipt.outcome == .handedOverWarm)
      #expect(receipt.trail.suffix(2) == ["gtk-command-line", "handed-over"])
      try await world.daemon.line(containing: "gapplication command-line chat:1")
      let refused = await failure(world, "chat:refused")
      #expect(refused?.name == "org.launchservices.Error.HandlerRefused")
      #expect(refused?.text.contains("its answer is the status 3") == true)
      #expect(starts(world) == 1)
    }
  }

  @Test("of KDE get command lines") func kde() async throws {
    try await Desktop.run { world, desktop in
      let script = Fixture.path("kde-application.py")
      try await desktop.install(
        Self.konversation, schemes: ["chat"],
        exec: "/usr/bin/python3 \(script) \(Self.konversation) -qwindowtitle %c %u")
      try await world.client.reload()
      #expect(Outcome.ofStart.contains(try await world.client.open("chat:0").outcome))
      try await world.daemon.line(containing: "kde-application started chat:0")
      let receipt = try await world.client.open("chat:1")
      #expect(receipt.outcome == .handedOverWarm)
      #expect(receipt.trail.suffix(2) == ["kde-command-line", "handed-over"])
      try await world.daemon.line(containing: "kde-application command-line chat:1")
      #expect(
        await failure(world, "chat:refused")?.name == "org.launchservices.Error.HandlerRefused")
      #expect(starts(world, "kde-application second process") == 0)
    }
  }

  @Test("of KDE whose second process passes the URL on and goes on running are what got the URL")
  func kdeMultiple() async throws {
    try await Desktop.run { world, desktop in
      let name = "org.example.Kate"
      try await desktop.install(
        name, schemes: ["chat"],
        exec: "/usr/bin/python3 \(Fixture.path("kde-multiple.py")) \(name) %u")
      try await world.client.reload()
      #expect(try await world.client.open("chat:0").outcome == .unacknowledgedCold)
      let line = try await world.daemon.line(containing: "kde-multiple started ")
      let pid = try #require(line.split(separator: " ").dropLast().last.flatMap { Int32($0) })
      for url in ["chat:1", "chat:2"] {
        let receipt = try await world.client.open(url)
        #expect(receipt.outcome == .handedOverWarm)
        #expect(receipt.pid == pid)
        try await world.daemon.line(containing: "kde-multiple second process \(url)")
      }
      let apps = try await desktop.command("lsregister", "apps")
      #expect(apps.first?.hasPrefix("\(name).desktop  running  \(pid)  ") == true, "\(apps)")
    }
  }

  private func startChromium(
    _ kind: String, in world: Testbed, _ desktop: Desktop
  ) async throws -> ObservedProcess {
    let script = Fixture.path("chromium-singleton.py")
    let folder = try #require(world.environment["XDG_CONFIG_HOME"]) + "/chromium"
    try await desktop.install(
      "chromium", schemes: ["chat"], exec: "/usr/bin/python3 \(script) \(folder) \(kind) %U")
    try await world.client.reload()
    let program = try world.startProcess("/usr/bin/python3", [script, folder, kind, "chat:0"])
    try await program.line(containing: "chromium-singleton started")
    return program
  }

  @Test(
    "of Chromium get a command line at their socket; one that is ending leaves the URL to a process"
  )
  func chromium() async throws {
    try await Desktop.run { world, desktop in
      let program = try await startChromium("right-cookie", in: world, desktop)
      let receipt = try await world.client.open("chat:1?a=%20b")
      #expect(receipt.outcome == .handedOverWarm)
      #expect(receipt.trail.suffix(2) == ["chromium-singleton", "handed-over"])
      let line = try await program.line(containing: "got START / /usr/bin/python3 ")
      #expect(line.hasSuffix(" chat:1?a=%20b"))
      #expect(try await world.client.open("chat:shutdown").trail.contains("arguments"))
      try await world.daemon.line(containing: "second process chat:shutdown")
      let unknown = await failure(world, "chat:silent")
      #expect(unknown?.name == "org.launchservices.Error.DeliveryUnknown")
      #expect(starts(world, "chromium-singleton second process") == 1)
      // One that says that it ends is waited for, and the URL starts the next.
      let next = try await world.client.open("chat:end-shutdown")
      #expect(Outcome.ofStart.contains(next.outcome), "\(next)")
      #expect(next.pid != program.pid)
      try await world.daemon.line(containing: "chromium-singleton started chat:end-shutdown")
      #expect(starts(world, "chromium-singleton second process") == 1)
      #expect(try await program.hasEnded() == "exited with code 0")
    }
  }

  @Test("of Electron get their number of arguments, too, when the user chooses that protocol")
  func electron() async throws {
    try await Desktop.run { world, desktop in
      let program = try await startChromium("electron", in: world, desktop)
      // The built-in protocol is that of Chromium, which Electron does not understand.
      #expect(
        await failure(world, "chat:0")?.name == "org.launchservices.Error.DeliveryUnknown")
      try await desktop.handOver(["chromium.desktop", "electron-singleton", "chromium"])
      let receipt = try await world.client.open("chat:1?a=%20b")
      #expect(receipt.outcome == .handedOverWarm)
      #expect(receipt.trail.suffix(2) == ["electron-singleton", "handed-over"])
      let line = try await program.line(containing: "got START / 5 /usr/bin/python3 ")
      #expect(line.hasSuffix(" chat:1?a=%20b"))
      try await program.stop()
    }
  }

  @Test("with the socket of QtSingleApplication get URLs there, in order, and no second process")
  func qtLocalPeer() async throws {
    try await Desktop.run { world, desktop in
      let script = Fixture.path("qt-local-peer.py")
      let folder = try #require(world.environment["XDG_CONFIG_HOME"])
      try desktop.write("\(folder)/chat/kept", "")
      try await desktop.install(
        "qtchat", schemes: ["chat"], exec: "/usr/bin/python3 \(script) \(folder)/chat/socket %u")
      try await desktop.handOver(["qtchat.desktop", "qt-local-peer", "chat/socket"])
      try await world.client.reload()
      #expect(Outcome.ofStart.contains(try await world.client.open("chat:0").outcome))
      try await world.daemon.line(containing: "qt-local-peer started chat:0")
      for number in 1...20 {
        let receipt = try await world.client.open("chat:\(number)?%C3%A4=%20b")
        #expect(receipt.outcome == .handedOverWarm)
        #expect(receipt.trail.suffix(2) == ["qt-local-peer", "handed-over"])
      }
      let got = world.daemon.lines.filter { $0.contains("qt-local-peer got") }
      #expect(
        got.map { $0.split(separator: " ").last } == (1...20).map { "chat:\($0)?%C3%A4=%20b" })
      #expect(starts(world, "qt-local-peer second process") == 0)
      #expect(
        await failure(world, "chat:quit")?.name == "org.launchservices.Error.DeliveryUnknown")
      #expect(Outcome.ofStart.contains(try await world.client.open("chat:next").outcome))
    }
  }

  @Test(
    "of Telegram and LibreOffice get URLs at the socket of their folder, and no second process",
    arguments: [
      ("telegram", "data", "TelegramDesktop", "OPEN:chat:%0025201?a=b%003Bc,d"),
      ("libreoffice", "config", "libreoffice/4", "InternalIPC::Arguments0,chat:%201?a=b;c\\,d"),
    ])
  func namedSocket(way: String, base: String, folder: String, message: String) async throws {
    try await Desktop.run { world, desktop in
      let script = Fixture.path("named-socket.py")
      let place = "\(world.folder)/\(base)/\(folder)"
      try await desktop.install(
        "chat", schemes: ["chat"], exec: "/usr/bin/python3 \(script) \(way) \(place) %u")
      try await desktop.handOver(["chat.desktop", way, folder])
      try await world.client.reload()
      #expect(Outcome.ofStart.contains(try await world.client.open("chat:0").outcome))
      try await world.daemon.line(containing: "named-socket started chat:0")
      let receipt = try await world.client.open("chat:%201?a=b;c,d")
      #expect(receipt.outcome == .handedOverWarm)
      #expect(receipt.trail.suffix(2) == [way, "handed-over"])
      let line = try await world.daemon.line(containing: "named-socket got")
      #expect(line.hasSuffix("got " + message), "\(line)")
      #expect(starts(world, "named-socket second process") == 0)
      #expect(
        await failure(world, "chat:quit")?.name == "org.launchservices.Error.DeliveryUnknown")
    }
  }

  @Test("are listed with their own process, which ends when the application does")
  func listed() async throws {
    try await Desktop.run { world, desktop in
      try await start(Self.dino, "open", in: world, desktop)
      let receipt = try await world.client.open("chat:kept")
      let line = try await world.daemon.line(containing: "gapplication kept ")
      let pid = try #require(line.split(separator: " ").last.flatMap { Int32($0) })
      #expect(receipt.outcome == .deliveredWarm)
      let apps = try await desktop.command("lsregister", "apps")
      #expect(apps.count == 1)
      #expect(apps.first?.hasPrefix("\(Self.dino).desktop  running  \(pid)  ") == true, "\(apps)")
      let shown = try await desktop.command("lsregister", "show", "\(Self.dino).desktop")
      #expect(shown.contains { $0.hasPrefix("pid ") && $0.hasSuffix(" \(pid)") }, "\(shown)")
      func explained() async throws -> [String] {
        try await world.client.explain("chat:1").steps.map { "\($0.step): \($0.sentence)" }
      }
      var steps = try await explained()
      #expect(steps.contains("state: running, as process \(pid)"), "\(steps)")
      #expect(steps.contains { $0.hasPrefix("way: gtk-open if the application runs;") }, "\(steps)")
      #expect(!steps.contains { $0.contains("launchservices-desktop") }, "\(steps)")
      // The next daemon knows the process, too.
      try await world.restartDaemon()
      try await world.client.reload()
      #expect(try await desktop.command("lsregister", "apps") == apps)
      kill(pid, SIGKILL)
      try await waitUntil("the end of the application") {
        ProcessDetails(of: pid)?.hasEnded ?? true
      }
      #expect(try await desktop.command("lsregister", "apps") == [])
      let ended = try await desktop.command("lsregister", "show", "\(Self.dino).desktop")
      #expect(
        ended.contains { $0.hasPrefix("state ") && $0.hasSuffix(" unknown") }, "\(ended)")
      steps = try await explained()
      #expect(steps.contains { $0.hasPrefix("state: unknown:") }, "\(steps)")
    }
  }

  @Test(
    "with a property list that names their protocol get URLs in this protocol; the user's choice goes before the property list"
  )
  func propertyList() async throws {
    try await Desktop.run { world, desktop in
      let identifier = "com.example.chat"
      let arguments = ["/usr/bin/python3", Fixture.path("gapplication.py"), "open", identifier]
      try desktop.write(
        "\(desktop.dataHome)/launch-services/Applications/\(identifier).plist",
        """
        <plist version="1.0"><dict>
          <key>CFBundleIdentifier</key><string>\(identifier)</string>
          <key>ProgramArguments</key>
          <array>\(arguments.map { "<string>\($0)</string>" }.joined())</array>
          <key>LaunchServicesHandOver</key>
          <array><string>gtk-open</string><string>\(identifier)</string></array>
          <key>CFBundleURLTypes</key><array><dict>
            <key>CFBundleURLSchemes</key><array><string>chat</string></array>
          </dict></array>
        </dict></plist>
        """)
      try await world.client.reload()
      let cold = try await world.client.open("chat:0?a=%20b")
      #expect(cold.handler == identifier)
      #expect(Outcome.ofStart.contains(cold.outcome))
      try await world.daemon.line(containing: "gapplication open chat:0?a=%20b")
      let warm = try await world.client.open("chat:1?a=%20b")
      #expect(warm.outcome == .deliveredWarm)
      #expect(warm.trail.suffix(2) == ["gtk-open", "delivered"])
      try await world.daemon.line(containing: "gapplication open chat:1?a=%20b")
      #expect(starts(world, "gapplication process") == 1)
      #expect(
        try await desktop.command("lsregister", "handover", identifier) == [
          "\(identifier)  gtk-open \(identifier)  property list"
        ])
      try await desktop.command(
        "lsopen", "chat:2", "--args", "more", complaint: "has no place for arguments of an opener")
      try await desktop.handOver([identifier, "none"])
      #expect(
        try await desktop.command("lsregister", "handover", identifier) == [
          "\(identifier)  none  your choice"
        ])
      #expect(try await world.client.open("chat:3").trail.contains("arguments"))
      // The process that passes URLs on is no process of the application.
      for process in ProcessDetails.ofThisUser()
      where process.name.hasPrefix("python3")
        && process.environmentAtStart["HOME"] == world.environment["HOME"]
      { kill(process.pid, SIGKILL) }
      try await waitUntil("the end of the application") {
        try await desktop.command("lsregister", "apps") == []
      }
      try FileManager.default.removeItem(
        atPath: "\(desktop.dataHome)/launch-services/Applications/\(identifier).plist")
      try await world.client.reload()
      #expect(try await desktop.command("lsregister", "apps") == [])
    }
  }

  @Test(
    "of another user get nothing at the socket of an application",
    .enabled(if: geteuid() == 0, "needs root, to be another user"))
  func impostorOfAnotherUser() async throws {
    try await Desktop.run { world, desktop in
      let folder = "\(desktop.dataHome)/TelegramDesktop"
      // The other user may not be able to read the file.
      let script = try String(contentsOfFile: Fixture.path("named-socket.py"), encoding: .utf8)
      let impostor = try world.startProcess(
        "/usr/bin/setpriv",
        [
          "--reuid=65534", "--clear-groups", "/usr/bin/python3", "-c", script, "telegram", folder,
          "chat:0",
        ])
      try await impostor.line(containing: "named-socket started")
      try await desktop.install("chat", schemes: ["chat"])
      try await desktop.handOver(["chat.desktop", "telegram", "TelegramDesktop"])
      try await world.client.reload()
      #expect(try await world.client.open("chat:secret").trail.contains("arguments"))
      #expect(try await desktop.recorded().arguments == ["chat", "chat:secret"])
      #expect(!impostor.lines.contains { $0.contains("named-socket got") })
      try await impostor.stop()
    }
  }

  /// Installs an application of Tauri or Wails, and starts it with a first URL.
  private func startInstance(
    _ kind: String, _ name: String, in world: Testbed, _ desktop: Desktop
  ) async throws {
    let program = "\(world.folder)/chat"
    try FileManager.default.copyItem(
      atPath: Fixture.path("single-instance.py"), toPath: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    try desktop.write(program + ".kind", "\(kind) \(name)")
    try await desktop.install("chat", schemes: ["chat"], exec: "\(program) %u")
    try await world.client.reload()
    #expect(Outcome.ofStart.contains(try await world.client.open("chat:0").outcome))
    try await world.daemon.line(containing: "single-instance started chat:0")
  }

  @Test(
    "of Tauri and Wails get command lines, when the user chooses that protocol",
    arguments: [
      ("tauri", "com.example.my-chat.SingleInstance"),
      ("tauri-older", "com.example.my-chat.SingleInstance"),
      ("wails", "org.wails_app_chat.SingleInstance"),
    ])
  func singleInstance(kind: String, name: String) async throws {
    try await Desktop.run { world, desktop in
      try await startInstance(kind, name, in: world, desktop)
      let way = kind == "wails" ? "wails" : "tauri"
      try await desktop.handOver(["chat.desktop", way, name])
      let receipt = try await world.client.open("chat:1?a=%20%22b")
      #expect(receipt.outcome == .handedOverWarm)
      #expect(receipt.trail.suffix(2) == [way, "handed-over"])
      try await world.daemon.line(containing: "single-instance got chat:1?a=%20%22b /")
      #expect(starts(world, "single-instance second process") == 0)
    }
  }

  @Test("behind a shell forward and end with status 1: no failure")
  func shellForwards() async throws {
    try await Desktop.run { world, desktop in
      let script = "\(world.folder)/forward.sh"
      try desktop.write(
        script,
        """
        if mkdir \(world.folder)/first; then echo first $1; exec sleep 20; fi
        echo second $1
        exit 1
        """)
      try await desktop.install(
        "chat", schemes: ["chat"], exec: "sh -c \"exec sh \(script) \\\\$0\" %u")
      try await world.client.reload()
      #expect(try await world.client.open("chat:0").outcome == .unacknowledgedCold)
      try await world.daemon.line(containing: "first chat:0")
      for url in ["chat:1", "chat:2"] {
        #expect(try await world.client.open(url).outcome == .unacknowledgedWarm)
        try await world.daemon.line(containing: "second \(url)")
      }
    }
  }

  @Test(
    "and are opened without a URL: the receipt names their own process, and a failure its status")
  func withoutURL() async throws {
    try await Desktop.run { world, desktop in
      func receipt() async throws -> String {
        try await desktop.command("lsopen", "--json", "-b", "im.dino.Dino.desktop")
          .joined(separator: "\n")
      }
      try await desktop.install(
        Self.dino, schemes: ["chat"],
        exec: "/usr/bin/python3 \(Fixture.path("gapplication.py")) open \(Self.dino) %U")
      try await world.client.reload()
      let cold = try await receipt()
      let pid = try #require(
        ProcessDetails.ofThisUser().first {
          $0.name.hasPrefix("python3") && $0.environmentAtStart["HOME"] == world.environment["HOME"]
        }?.pid)
      #expect(cold.contains("\"pid\":\(pid)") || cold.contains("\"pid\": \(pid)"), "\(cold)")
      #expect(!cold.contains("\"delivered\""), "\(cold)")
      let warm = try await receipt()
      #expect(warm.contains("handed-over") && warm.contains("warm"), "\(warm)")
      try await desktop.install(
        "broken", schemes: ["broken"], exec: "/usr/bin/python3 -c exit(3) %u")
      try await world.client.reload()
      try await desktop.command(
        "lsopen", "-b", "broken.desktop", complaint: "broken.desktop exited with code 3")
    }
  }

  @Test("and whose second process ends with status 1: no failure, and Wails has taken the URL")
  func forwardsWithStatus() async throws {
    try await Desktop.run { world, desktop in
      try await startInstance("wails", "org.wails_app_chat.SingleInstance", in: world, desktop)
      let receipt = try await world.client.open("chat:1")
      #expect(receipt.outcome == .unacknowledgedWarm)
      #expect(receipt.trail.contains("arguments"))
      try await world.daemon.line(containing: "single-instance second process chat:1")
      // The name is that of no running application, so that a second process gets the URL.
      try await desktop.handOver(["chat.desktop", "wails", "org.wails_app_other.SingleInstance"])
      #expect(try await world.client.open("chat:2").outcome == .handedOverWarm)
      try await world.daemon.line(containing: "single-instance second process chat:2")
    }
  }

  @Test(
    "and are activated by the bus, but take command lines: the program of the entry gets the URL, and its status counts"
  )
  func activatableWithCommandLines() async throws {
    try await Desktop.run { world, desktop in
      let name = "org.example.Lines"
      let exec = "/usr/bin/python3 \(Fixture.path("gapplication.py")) command-line \(name)"
      let program = try world.startProcess(
        "/usr/bin/python3", [Fixture.path("gapplication.py"), "command-line", name])
      try await program.line(containing: "gapplication started")
      try await desktop.install(
        name, schemes: ["chat"], exec: "\(exec) %U", others: "DBusActivatable=true")
      try await world.client.reload()
      let receipt = try await world.client.open("chat:1")
      #expect(receipt.outcome == .handedOverWarm)
      #expect(receipt.trail.suffix(2) == ["arguments", "handed-over"])
      try await program.line(containing: "gapplication command-line chat:1")
      let refused = await failure(world, "chat:refused")
      #expect(refused?.text.contains("exited with code 3") == true, "\(refused?.text ?? "")")
      try await program.stop()
    }
  }

  @Test("and are activated by the bus, but started by Exec: the record says when they are ready")
  func activatableWithDisplay() async throws {
    try await Desktop.run { world, desktop in
      let name = "org.example.Display"
      let gate = "\(world.folder)/gate"
      try #require(unsafe mkfifo(gate, 0o600) == 0)
      let script = Fixture.path("gapplication.py")
      try await desktop.install(
        name, schemes: ["chat"],
        exec: "env GAPPLICATION_GATE=\(gate) /usr/bin/python3 \(script) open \(name) %U",
        others: "DBusActivatable=true")
      try await world.client.reload()
      var options = OpenOptions()
      options.environment = ["DISPLAY": ":99"]
      options.requestID = "one"
      let receipt = try await world.client.open("chat:0", options)
      #expect(receipt.outcome == .unacknowledgedCold)
      #expect(receipt.trail.contains("arguments"), "\(receipt.trail)")
      try "go\n".write(toFile: gate, atomically: false, encoding: .utf8)
      try await waitUntil("the new result") {
        try await world.history().first?["fate"]?.asString == "handed-over"
      }
    }
  }

  @Test("at a socket of another time get nothing") func wrongCookie() async throws {
    try await Desktop.run { world, desktop in
      let program = try await startChromium("wrong-cookie", in: world, desktop)
      #expect(try await world.client.open("chat:1").trail.contains("arguments"))
      try await world.daemon.line(containing: "second process chat:1")
      #expect(!program.lines.contains { $0.contains("got") })
      try await program.stop()
    }
  }

  @Test("and end just after they took a URL: nobody knows whether the URL was opened")
  func endsAfterwards() async throws {
    try await Desktop.run { world, desktop in
      try await start(Self.dino, "open", in: world, desktop)
      let lost = await failure(world, "chat:quit")
      #expect(lost?.name == "org.launchservices.Error.DeliveryUnknown")
      #expect(
        lost?.text.contains("took the URL and ended within 2 s") == true, "\(lost?.text ?? "")")
      // The next URL starts the application, once.
      #expect(Outcome.ofStart.contains(try await world.client.open("chat:next").outcome))
      try await world.daemon.line(containing: "gapplication open chat:next")
      #expect(starts(world) == 2)
    }
  }

  @Test("and end in the seconds after the receipt: the history says so")
  func endsLater() async throws {
    try await Desktop.run { world, desktop in
      try await start(Self.dino, "open", in: world, desktop)
      #expect(try await world.client.open("chat:leave").outcome == .deliveredWarm)
      try await world.daemon.line(containing: "a process ended soon after it took a URL")
      let history = try world.startProcess("lsopen", ["--history", "1"])
      #expect(try await history.line(containing: "chat:leave").contains("delivered, then ended"))
    }
  }

  @Test("and were killed, while the bus has not noticed it: the URL starts the application")
  func killed() async throws {
    try await Desktop.run { world, desktop in
      try await start(Self.dino, "open", in: world, desktop)
      #expect(try await world.client.open("chat:kept").outcome == .deliveredWarm)
      let line = try await world.daemon.line(containing: "gapplication kept ")
      let pid = try #require(line.split(separator: " ").last.flatMap { Int32($0) })
      kill(pid, SIGKILL)
      try await waitUntil("the end of the application") {
        ProcessDetails(of: pid)?.hasEnded ?? true
      }
      #expect(Outcome.ofStart.contains(try await world.client.open("chat:next").outcome))
      try await world.daemon.line(containing: "gapplication open chat:next")
      #expect(starts(world) == 2)
    }
  }

  @Test("and do not answer: the URL may arrive later, and no second process gets it")
  func hangs() async throws {
    try await Desktop.run { world, desktop in
      try await start(Self.dino, "open", in: world, desktop)
      let unknown = await failure(world, "chat:hang")
      #expect(unknown?.name == "org.launchservices.Error.DeliveryUnknown")
      #expect(
        unknown?.text.contains("did not say whether it took the URL") == true,
        "\(unknown?.text ?? "")")
      #expect(starts(world) == 1)
    }
  }

  private static let otherProgram =
    "a process of another program, or in a sandbox, has taken the place of the application"

  @Test(
    "with the name of an application, but not its program, get nothing, nor does a second process pass the URL on",
    arguments: ["im.dino.Dino", "io.github.Hexchat"])
  func impostor(_ entry: String) async throws {
    try await Desktop.run { world, desktop in
      let script = Fixture.path("gapplication.py")
      let other = world.folder + "/other.py"
      let name = entry == Self.dino ? entry : "org.hexchat.service"
      try FileManager.default.copyItem(atPath: script, toPath: other)
      let impostor = try world.startProcess("/usr/bin/python3", [other, "open", name])
      try await impostor.line(containing: "gapplication activated")
      try await desktop.install(
        entry, schemes: ["chat"], exec: "/usr/bin/python3 \(desktop.program) \(entry) %U")
      try await world.client.reload()
      let refused = await failure(world, "chat:secret")
      #expect(refused?.name == "org.launchservices.Error.HandlerRefused")
      #expect(refused?.text.contains(Self.otherProgram) == true, "\(refused?.text ?? "")")
      #expect(desktop.recordings == 0)
      #expect(!impostor.lines.contains { $0.contains("chat:secret") })
      let explanation = try await world.client.explain("chat:secret")
      #expect(!explanation.wouldOpen)
      let last = try #require(explanation.steps.last)
      #expect(last.step == "open" && last.sentence.hasPrefix("fails: "), "\(last)")
      #expect(last.sentence.contains(Self.otherProgram), "\(last)")
      // Without the impostor the URL is opened.
      try await impostor.stop()
      _ = try await world.client.open("chat:1")
      #expect(try await desktop.recorded().arguments == [entry, "chat:1"])
    }
  }

  @Test(
    "with the bus name of an application that the bus starts, but not its program, get nothing",
    arguments: [false, true])
  func impostorOnBus(isSandboxed: Bool) async throws {
    try await Desktop.run { world, desktop in
      let name = "org.example.my-app"
      let program = ["/usr/bin/python3", Fixture.path("gapplication.py"), "open", name]
      let sandbox = ["/usr/bin/bwrap", "--die-with-parent", "--dev-bind", "/", "/"]
      let line = (isSandboxed ? sandbox : []) + program
      let impostor = try world.startProcess(line[0], Array(line.dropFirst()))
      try await impostor.line(containing: "gapplication activated")
      if isSandboxed {
        // The program is the right one, and runs in a sandbox.
        try await desktop.install(
          name, schemes: ["chat"], exec: program.joined(separator: " ") + " %U",
          others: "DBusActivatable=true")
      } else {
        try await desktop.installActivatable(name, schemes: ["chat"])
      }
      try await world.client.reload()
      let refused = await failure(world, "chat:secret")
      #expect(refused?.name == "org.launchservices.Error.HandlerRefused")
      #expect(refused?.text.contains(Self.otherProgram) == true, "\(refused?.text ?? "")")
      #expect(!impostor.lines.contains { $0.contains("chat:secret") })
      #expect(desktop.recordings == 0)
      // A document goes to the same bus name, so its explanation says the same.
      let file = world.folder + "/letter.txt"
      try desktop.write(file, "text")
      let entry = "\(desktop.entries)/\(name).desktop"
      let contents = try #require(desktop.contents(entry))
      try desktop.write(
        entry, contents.replacingOccurrences(of: "MimeType=", with: "MimeType=text/plain;"))
      try await desktop.command("update-desktop-database", desktop.entries)
      try await world.client.reload()
      let explanation = try await world.client.explain("file://" + file)
      #expect(!explanation.wouldOpen)
      let failures = explanation.steps.filter {
        $0.step == "open" && $0.sentence.hasPrefix("fails: ")
          && $0.sentence.contains(Self.otherProgram)
      }
      #expect(failures.count == 1, "\(explanation.steps)")
      try await impostor.stop()
    }
  }

  /// Starts an application with a property list that takes the place of another.
  private func startEvil(_ command: String, in world: Testbed, until line: String) async throws {
    let evil = try await world.install("com.example.evil", schemes: ["evil"], .delegate()) {
      $0.executable = .file("#!/bin/sh\nexec \(command)\n", permissions: 0o755)
    }
    withExtendedLifetime(evil) { _ = world.client.opening("evil:1") }
    try await world.daemon.line(containing: line)
  }

  private static let refusal =
    "a process of com.example.evil has taken the place of the application"

  /// The command line of a process that an interpreter runs is what the process says, and any process may take a
  /// free bus name.
  @Test(
    "of another application, in the place of this one, get nothing, nor does a second process pass the URL on"
  )
  func knownImpostor() async throws {
    try await Desktop.run { world, desktop in
      let exec = "/usr/bin/python3 \(Fixture.path("gapplication.py")) open \(Self.dino)"
      try await startEvil(exec, in: world, until: "gapplication activated")
      try await desktop.install(Self.dino, schemes: ["chat"], exec: "\(exec) %U")
      try await world.client.reload()
      let failure = await failure(world, "chat:secret")
      #expect(failure?.text.contains(Self.refusal) == true, "\(failure?.text ?? "")")
      #expect(!world.daemon.lines.contains { $0.contains("gapplication open") })
    }
  }

  @Test("of another application at the socket of Chromium get nothing")
  func knownImpostorAtSocket() async throws {
    try await Desktop.run { world, desktop in
      let folder = try #require(world.environment["XDG_CONFIG_HOME"]) + "/chromium"
      let exec =
        "/usr/bin/python3 \(Fixture.path("chromium-singleton.py")) \(folder) right-cookie"
      try await startEvil("\(exec) chat:0", in: world, until: "chromium-singleton started")
      try await desktop.install("chromium", schemes: ["chat"], exec: "\(exec) %U")
      try await world.client.reload()
      let failure = await failure(world, "chat:secret")
      #expect(failure?.text.contains(Self.refusal) == true, "\(failure?.text ?? "")")
      #expect(!world.daemon.lines.contains { $0.contains("chat:secret") })
    }
  }

  @Test("of another application, with the name of one that the bus starts, get nothing")
  func knownImpostorOnBus() async throws {
    try await Desktop.run { world, desktop in
      let name = "org.example.my-app"
      try await startEvil(
        "/usr/bin/python3 \(Fixture.path("gapplication.py")) open \(name)", in: world,
        until: "gapplication activated")
      try await desktop.installBridge("org.example.bridge", schemes: ["chat"])
      try await desktop.installActivatable(name, schemes: ["chat"])
      let failure = await failure(world, "chat:secret")
      #expect(failure?.text.contains(Self.refusal) == true, "\(failure?.text ?? "")")
      #expect(!world.daemon.lines.contains { $0.contains("gapplication open") })
      #expect(desktop.recordings == 0)
    }
  }

  @Test(
    "in a sandbox get nothing, nor does a second process pass the URL on",
    arguments: [
      ["/usr/bin/bwrap", "--die-with-parent", "--dev-bind", "/", "/"],
      // The file system of the session, and another user namespace.
      ["/usr/bin/unshare", "--user", "--map-current-user"],
    ])
  func sandboxed(_ sandbox: [String]) async throws {
    try await Desktop.run { world, desktop in
      let script = Fixture.path("gapplication.py")
      let impostor = try world.startProcess(
        sandbox[0], sandbox.dropFirst() + ["/usr/bin/python3", script, "open", Self.dino])
      try await impostor.line(containing: "gapplication activated")
      try await desktop.install(
        Self.dino, schemes: ["chat"], exec: "/usr/bin/python3 \(script) open \(Self.dino) %U")
      try await world.client.reload()
      let refused = await failure(world, "chat:1")
      #expect(refused?.text.contains(Self.otherProgram) == true, "\(refused?.text ?? "")")
      #expect(!impostor.lines.contains { $0.contains("chat:1") })
    }
  }
}
