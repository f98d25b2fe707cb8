import BusContract
import DBus
import Foundation
import LaunchRules
import LaunchServicesTesting
import Testing

@MainActor
@Suite(
  "The desktop bridge, out: a URL reaches the user's desktop application",
  .timeLimit(.minutes(30)))
struct DesktopOutTests {
  private static let odd =
    "mailto:a%20b@example.com?subject=%C3%A4+%F0%9F%98%80&body='$(x)*;~!%25u%73%23%2F"

  /// The refusal of an open.
  private func refusal(_ world: Testbed, _ url: String) async -> Refusal? {
    do throws(Refusal) {
      _ = try await world.client.open(url)
      return nil
    } catch {
      return error
    }
  }

  @Test("the default gets it once, byte for byte, with its token; cold and warm")
  func delivers() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.install("other", schemes: ["mailto"])
      try await desktop.install("mail", schemes: ["mailto"])
      try desktop.setDefault("mailto", "mail")
      try await desktop.installBridge("com.apple.mobilemail", schemes: ["mailto"])

      var options = OpenOptions()
      options.activationToken = "token-1"
      let cold = try await world.client.open(Self.odd, options)
      #expect(cold.outcome == .handedOverCold)
      #expect(
        try await desktop.recorded()
          == .init(
            arguments: ["mail", Self.odd], tokens: ["token-1", "token-1"],
            secrets: [BridgeHops.variable],
            isSessionLeader: true, blockedSignals: "0000000000000000"))

      options.activationToken = "token-2"
      let warm = try await world.client.open("mailto:2@b.example", options)
      #expect(warm.outcome == .handedOverCold)
      // Each program has ended, so its process is not known to have the URL.
      #expect((cold.pid, warm.pid) == (0, 0))
      let second = try await desktop.recorded()
      #expect(second.arguments == ["mail", "mailto:2@b.example"])
      #expect(second.tokens == ["token-2", "token-2"])

      // A token is for one launch.
      _ = try await world.client.open("mailto:3@b.example")
      #expect(try await desktop.recorded().tokens == ["-", "-"])
      #expect(desktop.recordings == 3)
    }
  }

  @Test("R4.11 somebody who clicks a link many times gets as many mails") func manyClicks()
    async throws
  {
    try await Desktop.run { world, desktop in
      try await desktop.install("mail", schemes: ["mailto"])
      try desktop.setDefault("mailto", "mail")
      try await desktop.installBridge("com.apple.mobilemail", schemes: ["mailto"])
      for _ in 0..<8 {
        #expect(try await world.client.open("mailto:a@example.com").outcome == .handedOverCold)
      }
      #expect(desktop.recordings == 8)
    }
  }

  @Test("R2.10 the system applications that are installed hand over to the user's defaults")
  func systemApplications() async throws {
    let share = URL(filePath: Example.folder).deletingLastPathComponent()
      .appending(path: "systemd/share").path
    try await Desktop.run(environment: ["XDG_DATA_DIRS": share]) { world, desktop in
      try await desktop.install("mail", schemes: ["mailto"])
      try await desktop.install("browser", schemes: ["http", "https"])
      try await world.client.reload()
      for (url, application, system) in [
        ("mailto:a@b.example", "mail", "org.launchservices.system.Mail"),
        ("https://example.com/%7Ea?b#c", "browser", "org.launchservices.system.Safari"),
        ("http://maps.apple.com/?q=x", "browser", "org.launchservices.system.Maps"),
      ] {
        #expect(try await world.client.open(url).handler == "\(application).desktop")
        #expect(try await desktop.recorded().arguments == [application, url])
        #expect(
          try await world.client.explain(url).steps.contains {
            $0.step == "system application" && $0.sentence.hasPrefix(system + ",")
          })
      }
    }
  }

  @Test("D5 D6 R9.6 R9.12 a desktop application gets what the formats allow") func formats()
    async throws
  {
    try await Desktop.run { world, desktop in
      try await desktop.install("phone", schemes: ["tel", "sms", "mailto"])
      try await desktop.installBridge("com.example.phone", schemes: ["tel", "sms", "mailto"])
      for url in ["tel:*123%23", "sms:1-408-555-1212?body=x"] {
        #expect(await refusal(world, url)?.name == "org.launchservices.Error.InvalidURL")
      }
      #expect(try await world.client.open("tel:1-408-555-5555").outcome == .handedOverCold)
      #expect(try await desktop.recorded().arguments == ["phone", "tel:1-408-555-5555"])
      _ = try await world.client.open(
        "mailto:a@b.example?from=c@d.example&attach=/etc/passwd&cc=e@f.example")
      #expect(
        try await desktop.recorded().arguments == ["phone", "mailto:a@b.example?cc=e@f.example"])
      #expect(desktop.recordings == 2)
    }
  }

  @Test("its failure is the failure of the open") func fails() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installBridge(
        "org.example.bridge", schemes: ["a", "b", "c", "d", "e", "f", "g", "h"])
      try await desktop.install("a", schemes: ["a"], arguments: "--exit=7")
      try await desktop.install("b", schemes: ["b"], exec: "/nowhere/program %u")
      try desktop.write("\(world.folder)/broken", "#!/nowhere/interpreter\n")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(world.folder)/broken")
      try await desktop.install("c", schemes: ["c"], exec: "\(world.folder)/broken %u")
      try await desktop.install("d", schemes: ["d"], fieldCode: "")
      try await desktop.install("e", schemes: ["e"], exec: "/usr/bin/python3 \(desktop.program) %f")
      try await desktop.install("f", schemes: ["f"], others: "TryExec=/nowhere")
      try await desktop.install("h", schemes: ["h"], arguments: "F:%F")

      for (url, why) in [
        ("a:1", "a.desktop exited with code 7"),
        ("b:1", "no desktop application handles the scheme b"),
        ("c:1", "c.desktop exited with code "),
        ("d:1", "d.desktop cannot be given a URL: its Exec has no %u or %U that would get"),
        ("e:1", "e.desktop cannot be given a URL: its Exec has no %u or %U that would get"),
        ("f:1", "no desktop application handles the scheme f"),
        ("g:1", "no desktop application handles the scheme g"),
        ("h:1", "h.desktop cannot be given a URL: its Exec has no %u or %U that would get"),
      ] {
        let refusal = await refusal(world, url)
        #expect(refusal?.name == "org.launchservices.Error.HandlerRefused")
        #expect(refusal?.text.contains(why) == true, "\(url): \(refusal?.text ?? "no refusal")")
      }
      #expect(desktop.recordings == 1)
    }
  }

  @Test("a process of the same shell is none of the program") func bystander() async throws {
    try await Desktop.run { world, desktop in
      let bystander = try world.startProcess("/bin/sh", ["-c", "sleep 3600; :"])
      try await desktop.install(
        "shell", schemes: ["a"],
        exec: "/bin/sh -c \"/usr/bin/python3 \(desktop.program) shell %u\"")
      try await world.client.reload()
      #expect(try await world.client.open("a:1").outcome == .handedOverCold)
      #expect(try await desktop.recorded().arguments == ["shell", "a:1"])
      try await bystander.stop()
    }
  }

  @Test("one that runs on has not failed, and outlives the bridge") func runsOn() async throws {
    try await Desktop.run(["--log-level", "info"]) { world, desktop in
      try await desktop.installBridge(
        "org.example.bridge", schemes: ["a"], arguments: ["--idle", "1"])
      try await desktop.install("a", schemes: ["a"], arguments: "--stay=2 --run=echo+alive")
      let first = try await world.client.open("a:1")
      #expect(first.outcome == .unacknowledgedCold)
      #expect(first.trail.suffix(2) == ["arguments", "unacknowledged"])
      let end = try await world.daemon.line(containing: "ended application=org.example.bridge")
      #expect(end.contains("was ended by SIGTERM"), "\(end)")
      // The program ends after this, so that nothing runs before the second URL.
      try await world.daemon.line(containing: "alive")
      let second = try await world.client.open("a:2")
      #expect(second.outcome == .unacknowledgedCold)
      #expect(second.pid != first.pid)
    }
  }

  @Test(
    "a second process that forwards the URL has time to do so; what another status says is unknown")
  func forwards() async throws {
    try await Desktop.run { world, desktop in
      let script = world.folder + "/single.py"
      // The first process runs until it is told to end. Each further one takes longer than a start is observed.
      try desktop.write(
        script,
        """
        import os, sys, time
        socket = "\(world.folder)/first"
        url = sys.argv[1]
        try:
            os.mkfifo(socket)
        except FileExistsError:
            time.sleep(1)
            print("forwarded", url, file=sys.stderr, flush=True)
            sys.exit(3 if url.endswith("lost") else 0)
        print("opened", url, file=sys.stderr, flush=True)
        open(socket).read()
        """)
      try await desktop.install(
        "single", schemes: ["single"], exec: "/usr/bin/python3 \(script) %u")
      try await world.client.reload()
      #expect(try await world.client.open("single:1").outcome == .unacknowledgedCold)
      try await world.daemon.line(containing: "opened single:1")
      let second = try await world.client.open("single:2")
      #expect(second.handler == "single.desktop" && second.outcome == .handedOverWarm)
      #expect(second.trail.suffix(2) == ["arguments", "handed-over"])
      // No protocol of the program is known, so that its status proves neither success nor failure.
      let lost = try await world.client.open("single:lost")
      #expect(lost.outcome == .unacknowledgedWarm)
      #expect(lost.trail.suffix(3) == ["arguments", "exit-status-3", "unacknowledged"])
      // The first one reads to the end, and ends.
      try "".write(toFile: world.folder + "/first", atomically: false, encoding: .utf8)
    }
  }

  @Test("an entry of ours is passed over; when all lead back, the open is refused")
  func loops() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installBridge("org.example.bridge", schemes: ["a", "b", "c", "d"])
      let mark = "X-LaunchServices-BundleIdentifier=com.example.a"
      try await desktop.install("ours", schemes: ["a", "b"], others: mark)
      try await desktop.install(
        "wrapped", schemes: ["b", "c"], exec: "\(Desktop.products)/lsopen -g %u")
      try await desktop.install("theirs", schemes: ["a"])
      try desktop.setDefault("a", "ours")
      #expect(try await world.client.open("a:1").outcome == .handedOverCold)
      #expect(try await desktop.recorded().arguments == ["theirs", "a:1"])
      // A redirect loop that only the daemon sees: the program is another, and opens the URL again.
      let again = "--run=\(Desktop.products)/lsopen+d:1"
      try await desktop.install("again", schemes: ["d"], arguments: "\(again) --exit=9")
      #expect(
        await refusal(world, "d:1")?.text.contains("again.desktop exited with code 9") == true)
      let line = try await world.daemon.line(containing: "ran ")
      #expect(line.contains("opens the URL with Launch Services again; choose another"), "\(line)")
      _ = try await desktop.recorded()
      for url in ["b:1", "c:1"] {
        let refusal = await refusal(world, url)
        #expect(refusal?.text.contains("passes URLs back to Launch Services") == true)
      }
      #expect(desktop.recordings == 2)
    }
  }

  @Test("a program that hands URLs back in a new session, changed each time, is stopped")
  func goesRound() async throws {
    try await Desktop.run { world, desktop in
      let lsopen = try #require(Example.program("lsopen"))
      let script = world.folder + "/round.py"
      try desktop.write(
        script,
        """
        import os, subprocess, sys
        if os.fork() == 0:
            os.setsid()
            print("round", sys.argv[1], file=sys.stderr, flush=True)
            ended = subprocess.run(["\(lsopen)", sys.argv[1] + "x"]).returncode
            if ended: print("stopped", sys.argv[1], file=sys.stderr, flush=True)
        """)
      try await desktop.install("round", schemes: ["round"], exec: "/usr/bin/python3 \(script) %u")
      try await desktop.installBridge("org.example.bridge", schemes: ["round"])
      #expect(try await world.client.open("round:1").outcome == .handedOverCold)
      try await world.daemon.line(containing: "stopped round:1xxxx")
      #expect(world.daemon.lines.filter { $0.hasPrefix("round ") }.count == BridgeHops.most)
    }
  }

  @Test("two programs that open each other's schemes without end are stopped")
  func pingPong() async throws {
    try await Desktop.run { world, desktop in
      let lsopen = try #require(Example.program("lsopen"))
      let script = world.folder + "/other.py"
      try desktop.write(
        script,
        """
        import subprocess, sys
        scheme, rest = sys.argv[1].split(":")
        print("turn", sys.argv[1], file=sys.stderr, flush=True)
        other = {"ping": "pong", "pong": "ping"}[scheme] + ":" + rest + "x"
        if subprocess.run(["\(lsopen)", other]).returncode:
            print("stopped", sys.argv[1], file=sys.stderr, flush=True)
        """)
      for scheme in ["ping", "pong"] {
        try await desktop.install(
          scheme, schemes: [scheme], exec: "/usr/bin/python3 \(script) %u")
      }
      try await desktop.installBridge("org.example.bridge", schemes: ["ping", "pong"])
      #expect(try await world.client.open("ping:").outcome == .unacknowledgedCold)
      let last = "pong:" + String(repeating: "x", count: BridgeHops.mostOfAll - 1)
      try await world.daemon.line(containing: "stopped \(last)")
      #expect(world.daemon.lines.filter { $0.hasPrefix("turn ") }.count == BridgeHops.mostOfAll)
    }
  }

  @Test("Retire is for an application that has checked in") func retire() async throws {
    try await Desktop.run { world, _ in
      await #expect(throws: Refusal.self) { try await world.client.call(Contract.retire()) }
    }
  }

  @Test("what it starts is the application of the entry, which may ask for itself only")
  func identity() async throws {
    try await Desktop.run { world, desktop in
      try await world.install("com.example.asker", queries: ["photos"])
      try await world.install("com.example.photos", schemes: ["photos"])
      let lsopen = "--run=\(Desktop.products)/lsopen"
      try await desktop.install("own", schemes: ["own"], arguments: "\(lsopen)+--can-open+photos:1")
      try await desktop.install(
        "as", schemes: ["as"], arguments: "\(lsopen)+--as+com.example.asker+--can-open+photos:1")
      try await desktop.install("open", schemes: ["open"], arguments: "\(lsopen)+photos:1")
      try await desktop.install(
        "terminal", schemes: ["terminal"],
        arguments: "\(lsopen)+--as+com.example.asker+--can-open+photos:1",
        others: "Categories=Utility;TerminalEmulator;")
      try await world.client.reload()
      for (url, status, text) in [
        ("own:1", 0, "yes"), ("as:1", 4, "as.desktop"),
        ("open:1", 0, "photos:1"), ("terminal:1", 0, "yes"),
      ] {
        _ = try await world.client.open(url)
        let line = try await world.daemon.line(containing: "ran ")
        #expect(
          line.contains("returncode=\(status)") && line.contains(text), "\(url): \(line)")
      }
      let history = try await desktop.command("lsopen", "--history")
      #expect(
        history.contains { $0.contains("open.desktop") && $0.contains("photos:1") }, "\(history)")
    }
  }

  @Test("a daemon that is killed meanwhile is told by the bridge, which starts nothing twice")
  func restart() async throws {
    try await Desktop.run { world, desktop in
      try await desktop.installBridge("org.example.bridge", schemes: ["a"])
      try await desktop.install("a", schemes: ["a"], arguments: "--stay=60")
      var options = OpenOptions()
      options.requestID = "the-one"
      let opening = world.client.opening("a:1", options)
      _ = try await desktop.recorded()
      try await world.killDaemon()
      let first = world.daemon
      _ = try? await opening.receipt()
      try await world.startDaemon(environment: ["PATH": Desktop.path])
      let receipt = try await world.client.open("a:1", requestID: "the-one")
      #expect(receipt.outcome.handled)
      #expect(first?.lines.filter { $0.contains("recorded {") }.count == 1)
      #expect(desktop.recordings == 0)
    }
  }
}
