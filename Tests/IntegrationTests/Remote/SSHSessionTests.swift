import Foundation
import LaunchServicesTesting
import Testing

/// Programs of another user on another machine, which is reached by ssh with real keys, open URLs on this machine.
@MainActor
@Suite(
  "A session of lsopen ssh",
  .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"), .timeLimit(.minutes(30)))
struct SSHSessionTests {
  @Test(
    "Programs there open a web page here, once, and their status says so",
    arguments: [
      "lsopen https://example.com/page?a=b%20c", "xdg-open https://example.com/page?a=b%20c",
      #"$BROWSER https://example.com/page?a=b%20c"#,
      """
      python3 -c 'import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))' \
      https://example.com/page?a=b%20c
      """,
      "python3 -m webbrowser -n https://example.com/page?a=b%20c",
    ])
  func page(command: String) async throws {
    try await FarMachine.run { world, far in
      let browser = try await world.installBrowser()
      let session = try far.start("lsopen", ["ssh", "far", "\(command); echo status $?"])
      #expect(try await browser.next() == .started)
      try await browser.next(.opened("https://example.com/page?a=b%20c"))
      #expect(try await session.hasEnded() == "exited with code 0")
      // Python rings the bell.
      #expect(session.lines.filter { $0 != "\u{07}" } == ["status 0"])
      #expect(browser.heard().isEmpty)
      let history = try await far.run("lsopen", ["--history"])
      #expect(history.lines.count == 1)
      #expect(history.lines.first?.contains("remote:far") == true, "\(history.lines)")
    }
  }

  @Test("The receipt is told as JSON, without process numbers and paths of this machine")
  func receipt() async throws {
    try await FarMachine.run { world, far in
      try await world.installBrowser()
      let (lines, end) = try await far.run(
        "lsopen", ["ssh", "far", "lsopen --json https://example.com/1"])
      #expect(end == "exited with code 0")
      let line = try #require(lines.first)
      #expect(line.contains(#""delivery":"delivered""#))
      #expect(!line.contains("pid"))
      #expect(!line.contains(world.folder))
    }
  }

  @Test("The status of the session is that of the command, and nothing stays behind")
  func endOfSession() async throws {
    try await FarMachine.run { world, far in
      let (lines, end) = try await far.run(
        "lsopen", ["ssh", "far", "printf '[%s]\\n'", "'a b'", "$HOME;", "exit", "7"])
      #expect(lines == ["[a b]", "[\(far.home)]"])
      #expect(end == "exited with code 7")
      let folder = far.runtimeFolder + "/launch-services"
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      let control = try #require(world.environment["XDG_RUNTIME_DIR"]) + "/launch-services/ssh"
      #expect(try FileManager.default.contentsOfDirectory(atPath: control) == [])
    }
  }

  @Test("A forwarding of the user that fails is told, as by ssh, and the session goes on")
  func failedForwarding() async throws {
    try await FarMachine.run { world, far in
      let place = "/nonexistent/\(UUID().uuidString)"
      let (lines, end) = try await far.run(
        "lsopen", ["ssh", "-R", "\(place):\(world.folder)/none", "far", "echo begun"])
      #expect(end == "exited with code 0")
      #expect(lines.contains("begun"))
      #expect(
        lines.contains {
          $0.contains("remote port forwarding failed for listen path \(place)")
        }, "\(lines)")
    }
  }

  @Test("A session that was killed leaves a stale socket, which the next one replaces")
  func staleSocket() async throws {
    try await FarMachine.run { world, far in
      let browser = try await world.installBrowser()
      let first = try far.start("lsopen", ["ssh", "far", "echo begun; exec sleep 1000"])
      try await first.line(containing: "begun")
      for pid in far.clients { kill(pid, SIGKILL) }
      _ = try await first.hasEnded()
      let folder = far.runtimeFolder + "/launch-services"
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
      // An open that finds only the stale socket is told that nothing was opened.
      let lost = try await far.ssh("lsopen https://example.com/lost")
      #expect(lost.end == "exited with code 3", "\(lost.lines)")
      let (lines, end) = try await far.run(
        "lsopen", ["ssh", "far", "lsopen https://example.com/1"])
      #expect(lines == [])
      #expect(end == "exited with code 0")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      try await browser.next(.opened("https://example.com/1"))
      #expect(browser.heard().isEmpty)
    }
  }

  @Test("Two sessions do not disturb each other, and a shell outside of them uses the newest")
  func twoSessions() async throws {
    try await FarMachine.run { world, far in
      let browser = try await world.installBrowser()
      let first = try far.start(
        "lsopen", ["ssh", "far", "echo begun; exec sleep 1000"])
      try await first.line(containing: "begun")
      let second = try await far.run("lsopen", ["ssh", "far", "lsopen https://example.com/second"])
      #expect(second.end == "exited with code 0")
      // The link leads to the socket that is left.
      let outside = try await far.ssh("lsopen https://example.com/outside")
      #expect(outside.end == "exited with code 0", "\(outside.lines)")
      first.signal(SIGTERM)
      _ = try await first.hasEnded()
      let opened = browser.heard().filter { if case .opened = $0 { true } else { false } }
      #expect(
        opened == [
          .opened("https://example.com/second"), .opened("https://example.com/outside"),
        ])
    }
  }

  @Test("What cannot begin has the status of ssh, and a message of ssh or of lsopen")
  func noSession() async throws {
    try await FarMachine.run(settings: ["AllowStreamLocalForwarding no"]) { world, far in
      let nobody = try await far.run("lsopen", ["ssh", "nobody.invalid", "true"])
      #expect(nobody.end == "exited with code 255")
      #expect(nobody.lines.contains { $0.contains("Could not resolve hostname") })
      #expect(try await far.run("lsregister", ["remote", "list"]).lines == [])
      let refused = try await far.run("lsopen", ["ssh", "far", "echo", "not run"])
      #expect(refused.end == "exited with code 255")
      #expect(refused.lines.contains { $0.contains("AllowStreamLocalForwarding") })
      #expect(!refused.lines.contains("not run"))
      // A host without a session gets no rights.
      #expect(try await far.run("lsregister", ["remote", "list"]).lines == [])
      let wrong = try await far.run("lsopen", ["ssh", "-N", "far"])
      #expect(wrong.end == "exited with code 64")
      try await world.stopDaemon()
      let stopped = try await far.run("lsopen", ["ssh", "far", "echo", "not run"])
      #expect(stopped.end == "exited with code 3")
      #expect(!stopped.lines.contains("not run"))
    }
  }
}
