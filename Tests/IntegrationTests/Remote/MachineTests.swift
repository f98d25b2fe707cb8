import BusContract
import Foundation
import LaunchServicesTesting
import Testing

/// A program here opens URLs on another machine, which ssh reaches with real keys, and where another daemon runs.
@MainActor
@Suite(
  "lsopen --on a machine",
  .enabled(if: FarMachine.problem == nil, "\(FarMachine.problem ?? "")"), .timeLimit(.minutes(30)))
struct MachineTests {
  /// A far machine that is a remote here.
  private func run(
    hasDaemon: Bool = true, _ body: @MainActor (Testbed, FarMachine) async throws -> Void
  ) async throws {
    try await FarMachine.run { world, far in
      #expect(
        try await far.run("lsregister", ["remote", "add", "far"]).end == "exited with code 0")
      if hasDaemon { try await FarDaemon.start(on: far) }
      try await body(world, far)
    }
  }

  @Test("a URL arrives there once, byte for byte, with the receipt of that machine")
  func opens() async throws {
    try await run { _, far in
      let url = "photos:a%2Fb?c=d%20e#f"
      for _ in 0..<2 {
        let (lines, end) = try await far.run(
          "lsopen", ["--json", "--request-id", "one", "--on", "far", url])
        #expect(end == "exited with code 0", "\(lines)")
        #expect(lines.first?.contains(#""handler":"device:far""#) == true, "\(lines)")
        #expect(lines.first?.contains(#""launch":"cold""#) == true, "\(lines)")
      }
      try await waitUntil("the URL there") { !far.arrived.isEmpty }
      #expect(far.arrived == [url])
      let there = try await far.ssh("lsopen --history --json")
      #expect(there.lines.count == 1 && there.lines.first?.contains("photos:a%2Fb") == true)
      #expect(far.clients == [])
    }
  }

  @Test("the connection ends after the URL has arrived: the machine is asked again, and opens once")
  func cut() async throws {
    try await run { _, far in
      // This ssh kills the connection when the reply comes, the first time.
      let program = far.localPrograms + "/ssh"
      try """
      #!/usr/bin/python3
      import os, subprocess, sys
      command = ["/usr/bin/ssh", "-F", "\(far.folder)/ssh_config"] + sys.argv[1:]
      mark = "\(far.folder)/was-cut"
      if os.path.exists(mark):
          os.execv(command[0], command)
      open(mark, "w").close()
      ssh = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
      os.write(1, ssh.stdout.readline())
      ssh.stdout.read(1)
      ssh.kill()
      os._exit(255)

      """.write(toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      let (lines, end) = try await far.run("lsopen", ["--json", "--on", "far", "photos:1"])
      #expect(FileManager.default.fileExists(atPath: far.folder + "/was-cut"))
      #expect(end == "exited with code 0", "\(lines)")
      try await waitUntil("the URL there") { !far.arrived.isEmpty }
      #expect(try await far.run("lsopen", ["--on", "far", "photos:2"]).end == "exited with code 0")
      try await waitUntil("the next URL there") { far.arrived.contains("photos:2") }
      #expect(far.arrived == ["photos:1", "photos:2"])
    }
  }

  @Test("the daemon here is killed during an open: the machine is asked again, and opens once")
  func daemonKilled() async throws {
    try await run { world, far in
      // This ssh tells that the reply has come, and passes nothing on, the first time.
      let (program, mark) = (far.localPrograms + "/ssh", far.folder + "/was-held")
      try """
      #!/usr/bin/python3
      import os, subprocess, sys
      command = ["/usr/bin/ssh", "-F", "\(far.folder)/ssh_config"] + sys.argv[1:]
      mark = "\(mark)"
      if os.path.exists(mark):
          os.execv(command[0], command)
      ssh = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
      os.write(1, ssh.stdout.readline())
      ssh.stdout.read(1)
      open(mark, "w").close()
      sys.stdin.read()
      ssh.kill()

      """.write(toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      let open = ["--json", "--request-id", "one", "--on", "far", "photos:1"]
      let opening = try far.start("lsopen", open)
      try await waitUntil("the reply of the machine") {
        FileManager.default.fileExists(atPath: mark)
      }
      try await world.killDaemon()
      try await world.startDaemon(environment: ["PATH": far.path])
      // lsopen asks the next daemon by itself, and so does the next lsopen.
      #expect(try await opening.hasEnded() == "exited with code 0", "\(opening.lines)")
      let (lines, end) = try await far.run("lsopen", open)
      #expect(end == "exited with code 0", "\(lines)")
      #expect(lines.first?.contains(#""handled":true,"handler":"device:far""#) == true, "\(lines)")
      #expect(far.arrived == ["photos:1"])
    }
  }

  @Test("an error of that machine names the machine, and a machine without a daemon gets nothing")
  func fails() async throws {
    try await run { _, far in
      let (lines, end) = try await far.run("lsopen", ["--json", "--on", "far", "nobody:1"])
      #expect(end == "exited with code 4")
      #expect(lines.first?.contains(#""error":"ApplicationNotFound""#) == true, "\(lines)")
      #expect(lines.first?.contains("on far: no application is registered") == true, "\(lines)")
    }
    try await run(hasDaemon: false) { _, far in
      let (lines, end) = try await far.run("lsopen", ["--json", "--on", "far", "photos:1"])
      #expect(end == "exited with code 4")
      #expect(lines.first?.contains(#""error":"DeviceUnavailable""#) == true, "\(lines)")
      #expect(
        lines.first?.contains(
          "on far, lsopen reached no launchservicesd, so nothing was sent; lsopen on far says: ")
          == true,
        "\(lines)"
      )
    }
  }

  @Test("an error stays the answer to its identifier, and another identifier is a new open")
  func repeatedError() async throws {
    try await run(hasDaemon: false) { _, far in
      func open(_ id: String) async throws -> (lines: [String], end: String) {
        let result = try await far.run(
          "lsopen", ["--json", "--request-id", id, "--on", "far", "photos:1"])
        return (result.lines, result.end)
      }
      let first = try await open("one")
      #expect(first.lines.first?.contains("DeviceUnavailable") == true, "\(first.lines)")
      try await FarDaemon.start(on: far)
      let again = try await open("one")
      #expect(again.lines.first?.contains("DeviceUnavailable") == true, "\(again.lines)")
      #expect(far.arrived.isEmpty)
      let other = try await open("two")
      #expect(other.end == "exited with code 0", "\(other.lines)")
      try await waitUntil("the URL there") { far.arrived == ["photos:1"] }
    }
  }

  /// Gives up while a program in place of ssh runs, and returns the error that the opener gets.
  private func giveUp(_ far: FarMachine, _ script: String) async throws -> String {
    let program = far.localPrograms + "/ssh"
    try "#!/bin/sh\necho $$ >'\(far.folder)/pid'\n\(script)\nexec sleep 1000\n".write(
      toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let (lines, end) = try await far.run(
      "lsopen", ["--json", "--timeout", "2", "--on", "far", "photos:1"])
    #expect(end == "exited with code 4", "\(lines)")
    let text = try String(contentsOfFile: far.folder + "/pid", encoding: .utf8)
    let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    try await waitUntil("the end of ssh") { kill(pid, 0) != 0 }
    return lines.lazy.compactMap(Testbed.json).first?["error"] as? String ?? "\(lines)"
  }

  @Test("an opener that gives up ends the connection, and learns whether the URL may have arrived")
  func cancelled() async throws {
    try await run(hasDaemon: false) { _, far in
      let before = try await giveUp(far, "")
      #expect(before == "Cancelled")
      let after = try await giveUp(far, "echo 'launch-services-relay 1 ready'")
      #expect(after == "DeliveryUnknown")
    }
  }

  @Test("an opener that gives up between two attempts is told that the URL may have arrived")
  func cancelledBetweenAttempts() async throws {
    try await run(hasDaemon: false) { world, far in
      let program = far.localPrograms + "/ssh"
      try "#!/bin/sh\necho 'launch-services-relay 1 ready'\nhead -c 1 >/dev/null\nkill -9 $$\n"
        .write(
          toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      var options = OpenOptions()
      (options.device, options.cancellationID) = ("far", "one")
      let open = world.client.opening("photos:1", options)
      try await world.daemon.line(containing: "was cut during an open")
      try await world.client.cancelOpen("one")
      do throws(Refusal) {
        _ = try await open.receipt()
        Issue.record("the open succeeded")
      } catch {
        #expect(error.name == "org.launchservices.Error.DeliveryUnknown", "\(error)")
      }
    }
  }

  @Test("machines are listed, explained without a connection, and only remotes are machines")
  func listed() async throws {
    try await run(hasDaemon: false) { _, far in
      let list = try await far.run("lsregister", ["devices"])
      #expect(list.end == "exited with code 0")
      #expect(list.lines.contains("far  far  machine  ssh  -  -"), "\(list.lines)")
      let json = try await far.run("lsregister", ["devices", "--json"])
      #expect(
        json.lines.contains(#"[{"id":"far","name":"far","transport":"ssh","type":"machine"}]"#),
        "\(json.lines)")
      let explain = try await far.run("lsopen", ["--explain", "--on", "far", "photos:1"])
      #expect(
        explain.lines.last?.hasSuffix(
          "opens the URL on far by ssh, with the application that is chosen there") == true,
        "\(explain.lines)")
      let other = try await far.run("lsopen", ["--json", "--on", "127.0.0.1", "photos:1"])
      #expect(other.lines.first?.contains(#""error":"DeviceUnavailable""#) == true)
    }
  }
}
