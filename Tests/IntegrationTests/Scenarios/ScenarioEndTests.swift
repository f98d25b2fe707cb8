import Foundation
import Glibc
import Host
import Testing

@testable import LaunchServicesTesting

/// The end of `lstest` before that of its scenarios.
@MainActor @Suite("lstest that is ended", .timeLimit(.minutes(30)))
struct ScenarioEndTests {
  /// A scenario with a step that lasts 10 minutes, because the stub hangs.
  private static let hanging = [
    "a.lstest.json": """
    {"applications": [\(ScenarioRunTests.application("com.example.a", ["a"], #", "behaviour": "hang""#))],
     "settings": {"DeliveryTimeout": 600}, "steps": [{"open": "a:1"}, {"open": "a:2"}]}
    """
  ]

  @Test(
    "by SIGKILL leaves no process and no folder",
    arguments: [
      ["run", "."], ["run", "--no-bus", "."],
      ["shell", "a.lstest.json", "--", "sh", "-c", "lsopen a:1; exec sleep 600"],
    ])
  func killed(_ arguments: [String]) async throws {
    try await ScenarioRunTests.withFolder { folder in
      let process = try ScenarioRunTests.start(arguments, files: Self.hanging, in: folder)
      try await WorldRemains.stubHasURL(in: folder)
      process.signal(SIGKILL)
      #expect(try await process.hasEnded() == "was ended by SIGKILL (signal 9)")
      try await WorldRemains.areGone(in: folder)
    }
  }

  @Test(
    "by a stop signal ends its world first, and its results say so",
    arguments: [
      (SIGTERM, "SIGTERM", 143), (SIGINT, "SIGINT", 130), (SIGHUP, "SIGHUP", 129),
      (SIGQUIT, "SIGQUIT", 131),
    ])
  func interrupted(_ signal: Int32, _ name: String, _ status: Int) async throws {
    try await ScenarioRunTests.withFolder { folder in
      let process = try ScenarioRunTests.start(["run", "."], files: Self.hanging, in: folder)
      defer { process.signal(SIGKILL) }
      try await WorldRemains.stubHasURL(in: folder)
      process.signal(signal)
      #expect(try await process.hasEnded() == "exited with code \(status)")
      #expect(
        process.lines == [
          "a", "  ok      application com.example.a",
          "  ERROR   open a:1", "          a.lstest.json:2: lstest was ended by \(name)",
          "  skipped open a:2: lstest was ended by \(name)",
          "1 passed, 1 could not be carried out, 1 skipped",
          "lstest: ended by \(name)",
        ])
      try await WorldRemains.areGone(in: folder)
    }
  }

  @Test(
    "by a stop signal passes it to the command of a shell",
    arguments: [(SIGTERM, 143), (SIGINT, 130), (SIGHUP, 129), (SIGQUIT, 131)])
  func shell(_ signal: Int32, _ status: Int) async throws {
    try await ScenarioRunTests.withFolder { folder in
      let process = try ScenarioRunTests.start(
        ["shell", "a.lstest.json", "--", "sh", "-c", "echo ready; exec sleep 600"],
        files: Self.hanging, in: folder)
      defer { process.signal(SIGKILL) }
      try await process.line(containing: "ready")
      process.signal(signal)
      #expect(try await process.hasEnded() == "exited with code \(status)")
      try await WorldRemains.areGone(in: folder)
    }
  }

  @Test("by a stop signal kills a command that ignores it") func stubborn() async throws {
    try await ScenarioRunTests.withFolder { folder in
      let process = try ScenarioRunTests.start(
        ["shell", "--", "sh", "-c", "trap '' TERM; echo ready; sleep 600"], files: [:], in: folder)
      defer { process.signal(SIGKILL) }
      try await process.line(containing: "ready")
      process.signal(SIGTERM)
      #expect(try await process.hasEnded() == "exited with code 137")
      try await WorldRemains.areGone(in: folder)
    }
  }

  @Test("by the end of the reader of its results ends its world first") func readerGone()
    async throws
  {
    var files = Self.hanging
    files["0.lstest.json"] =
      "{\"applications\": [\(ScenarioRunTests.application("com.example.b", ["b"]))]}"
    try await ScenarioRunTests.withFolder { folder in
      try ScenarioRunTests.write(files, to: folder)
      let process = try ObservedProcess(
        Launch(
          executable: "/bin/bash",
          arguments: [
            "-c", "\"$0\" run . | head -1; echo \"status ${PIPESTATUS[0]}\"",
            try Programs.find("lstest"),
          ],
          environment: ScenarioRunTests.environment(in: folder), workingDirectory: folder))
      do {
        #expect(try await process.hasEnded() == "exited with code 0")
      } catch {
        try? await Leftovers(folder: folder, known: []).end()
        throw error
      }
      #expect(process.lines == ["0", "status 141"])
      try await WorldRemains.areGone(in: folder)
    }
  }
}

/// `lstest shell` at a terminal.
@MainActor @Suite("lstest shell at a terminal", .timeLimit(.minutes(30)))
struct TerminalShellTests {
  /// Runs `lstest` at a terminal of its own.
  /// - Parameter talk: texts to wait for, and what is typed then.
  private static func run(
    _ arguments: [String], _ talk: [[String]], in folder: String
  ) async throws -> String {
    let program = """
      import json, os, pty, sys
      talk, command = json.loads(sys.argv[1]), sys.argv[2:]
      pid, terminal = pty.fork()
      if pid == 0:
          os.execv(command[0], command)
      seen = b""
      for awaited, answer in talk:
          while awaited.encode() not in seen:
              seen += os.read(terminal, 4096)
          seen = b""
          os.write(terminal, answer.encode())
      try:
          while os.read(terminal, 4096):
              pass
      except OSError:
          pass
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
      """
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let words = String(decoding: try JSONEncoder().encode(talk), as: UTF8.self)
    let process = try ObservedProcess(
      Launch(
        executable: "/usr/bin/python3",
        arguments: ["-c", program, words, try Programs.find("lstest")] + arguments,
        environment: ScenarioRunTests.environment(in: folder), workingDirectory: folder))
    do {
      return try await process.hasEnded()
    } catch {
      try? await Leftovers(folder: folder, known: []).end()
      throw error
    }
  }

  @Test("reads what is typed") func typed() async throws {
    try await ScenarioRunTests.withFolder { folder in
      let end = try await Self.run(
        ["shell"], [["End it with exit.", "echo sum-$((1+1))\n"], ["sum-2", "exit 3\n"]],
        in: folder)
      #expect(end == "exited with code 3")
      try await WorldRemains.areGone(in: folder)
    }
  }

  @Test("ends its command at Ctrl-C, which the command gets once") func interrupt() async throws {
    let command = """
      import signal, time
      signal.signal(signal.SIGINT, signal.SIG_DFL)
      signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
      print("ready", flush=True)
      signal.sigwait({signal.SIGINT})
      print("twice" if signal.sigpending() else "again", flush=True)
      signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
      time.sleep(600)
      """
    try await ScenarioRunTests.withFolder { folder in
      let end = try await Self.run(
        ["shell", "--", "python3", "-c", command], [["ready", "\u{3}"], ["again", "\u{3}"]],
        in: folder)
      #expect(end == "exited with code 130")
      try await WorldRemains.areGone(in: folder)
    }
  }

  @Test("goes on after Ctrl-Z when nobody could continue it") func suspend() async throws {
    try await ScenarioRunTests.withFolder { folder in
      let end = try await Self.run(
        ["shell", "--", "sh", "-c", "echo ready; read x; echo \"read $x\"; exit 4"],
        [["ready", "\u{1a}"], ["^Z", "word\n"], ["read word", ""]], in: folder)
      #expect(end == "exited with code 4")
      try await WorldRemains.areGone(in: folder)
    }
  }
}
