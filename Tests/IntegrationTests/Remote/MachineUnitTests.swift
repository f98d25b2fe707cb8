import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

enum SSHUnits {
  /// Why there can be no units of ssh; nil when there can.
  static let problem: String? =
    FarMachine.problem ?? Testbed.userManagerProblem.map { "needs a systemd --user: \($0)" }
}

/// Opens on another machine whose ssh runs as a unit of systemd, as on a desktop: not as a child of the daemon.
@MainActor
@Suite(
  "ssh as a unit of systemd",
  .enabled(if: SSHUnits.problem == nil, "\(SSHUnits.problem ?? "")"),
  .timeLimit(.minutes(30)))
struct MachineUnitTests {
  private func run(
    hasDaemon: Bool = true, _ body: @MainActor (Testbed, FarMachine) async throws -> Void
  ) async throws {
    try await FarMachine.run(["--launcher", "systemd"], withUserManager: true) { world, far in
      try await register(far, "add", "far")
      if hasDaemon { try await FarDaemon.start(on: far) }
      try await body(world, far)
    }
  }

  private func register(_ far: FarMachine, _ words: String...) async throws {
    let (lines, end) = try await far.run("lsregister", ["remote"] + words)
    #expect(end == "exited with code 0", "\(words): \(lines)")
  }

  /// Puts a program in the place of ssh.
  /// - Parameter script: for Python; `command` is the command line of the real ssh, and `folder` that of the machine.
  private func replaceSSH(_ far: FarMachine, _ script: String) throws {
    let program = far.localPrograms + "/ssh"
    try """
    #!/usr/bin/python3
    import os, signal, subprocess, sys
    folder = "\(far.folder)"
    command = ["/usr/bin/ssh", "-F", folder + "/ssh_config"] + sys.argv[1:]
    \(script)

    """.write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
  }

  /// The units of ssh that the service manager knows.
  private func units(_ world: Testbed) async throws -> [String] {
    let answer = try await world.client.call(
      .call(
        to: ServiceManagerContract.name, path: "/org/freedesktop/systemd1",
        interface: ServiceManagerContract.manager, member: "ListUnitsByPatterns",
        [.strings([]), .strings(["launchservices-ssh-*"])]))
    return (answer.first?.elements ?? []).compactMap { $0.elements?.first?.asString }
  }

  private func noUnitIsLeft(_ world: Testbed) async throws {
    try await waitUntil("the end of all units of ssh") { try await units(world).isEmpty }
  }

  @Test("a URL arrives there once, with the status and the errors of that machine; no unit stays")
  func opens() async throws {
    try await run { world, far in
      try replaceSSH(
        far,
        """
        with open(folder + "/group", "w") as file:
            file.write(open("/proc/self/cgroup").read())
        os.execv(command[0], command)
        """)
      let (lines, end) = try await far.run("lsopen", ["--json", "--on", "far", "photos:1?a=%20b"])
      #expect(end == "exited with code 0", "\(lines)")
      #expect(lines.first?.contains(#""handler":"device:far""#) == true, "\(lines)")
      let group = try String(contentsOfFile: far.folder + "/group", encoding: .utf8)
      #expect(group.contains("/launchservices-ssh-"), "\(group)")
      let failed = try await far.run("lsopen", ["--json", "--on", "far", "nobody:1"])
      #expect(failed.end == "exited with code 4")
      #expect(
        failed.lines.first?.contains("on far: no application is registered") == true,
        "\(failed.lines)")
      try await register(far, "send", "far", "photos")
      let ruled = try await far.run("lsopen", ["--json", "photos:2"])
      #expect(ruled.end == "exited with code 0", "\(ruled.lines)")
      try await waitUntil("the URLs there") { far.arrived.count == 2 }
      #expect(far.arrived == ["photos:1?a=%20b", "photos:2"])
      try await noUnitIsLeft(world)
    }
  }

  @Test("a machine that cannot be reached is an error with the words of ssh, and nothing is sent")
  func unreachable() async throws {
    try await run(hasDaemon: false) { world, far in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await register(far, "send", "far", "photos")
      let refused = try await far.run("lsopen", ["--json", "photos:1"])
      #expect(refused.end == "exited with code 4")
      #expect(refused.lines.first?.contains("nothing was sent") == true, "\(refused.lines)")
      far.process.signal(SIGKILL)
      _ = try await far.process.hasEnded()
      for arguments in [["photos:2"], ["--on", "far", "photos:3"]] {
        let (lines, end) = try await far.run("lsopen", ["--json"] + arguments)
        #expect(end == "exited with code 4")
        #expect(lines.first?.contains(#""error":"DeviceUnavailable""#) == true, "\(lines)")
        #expect(lines.first?.contains("Connection refused") == true, "\(lines)")
      }
      #expect(photos.heard().isEmpty)
      try await noUnitIsLeft(world)
    }
  }

  @Test("ssh is killed when the answer comes: the machine is asked again, and opens the URL once")
  func killed() async throws {
    try await run { world, far in
      // The real ssh is left to systemd, which ends all processes of the unit.
      try replaceSSH(
        far,
        """
        mark = folder + "/was-cut"
        if os.path.exists(mark):
            os.execv(command[0], command)
        open(mark, "w").close()
        ssh = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
        os.write(1, ssh.stdout.readline())
        ssh.stdout.read(1)
        os.kill(os.getpid(), signal.SIGKILL)
        """)
      let (lines, end) = try await far.run("lsopen", ["--json", "--on", "far", "photos:1"])
      #expect(FileManager.default.fileExists(atPath: far.folder + "/was-cut"))
      #expect(end == "exited with code 0", "\(lines)")
      try await waitUntil("the URL there") { !far.arrived.isEmpty }
      #expect(try await far.run("lsopen", ["--on", "far", "photos:2"]).end == "exited with code 0")
      try await waitUntil("the next URL there") { far.arrived.contains("photos:2") }
      #expect(far.arrived == ["photos:1", "photos:2"])
      try await noUnitIsLeft(world)
    }
  }

  @Test("an opener that gives up ends the unit, and learns whether the URL may have arrived")
  func cancelled() async throws {
    try await run(hasDaemon: false) { world, far in
      for (greeting, error) in [
        ("", "Cancelled"),
        ("print('launch-services-relay 1 ready', flush=True)", "DeliveryUnknown"),
      ] {
        try replaceSSH(far, "\(greeting)\nsignal.pause()")
        let open = try far.start("lsopen", ["--json", "--timeout", "3", "--on", "far", "photos:1"])
        try await waitUntil("the unit of ssh") { try await units(world).count == 1 }
        #expect(try await open.hasEnded() == "exited with code 4")
        #expect(
          open.lines.lazy.compactMap(Testbed.json).first?["error"] as? String == error,
          "\(open.lines)")
        try await noUnitIsLeft(world)
      }
    }
  }

  @Test("a machine has 4 connections at once, however many URLs are opened there")
  func mostConnections() async throws {
    try await run { world, far in
      // Each connection says that it has begun, and waits for a byte.
      try replaceSSH(
        far,
        """
        with open(folder + "/log", "a") as file:
            file.write("begun\\n")
        os.read(os.open(folder + "/gate", os.O_RDONLY), 1)
        os.execv(command[0], command)
        """)
      try #require(unsafe mkfifo(far.folder + "/gate", 0o600) == 0)
      let gate = try #require(FileHandle(forUpdatingAtPath: far.folder + "/gate"))
      func begun() -> Int {
        let text = try? String(contentsOfFile: far.folder + "/log", encoding: .utf8)
        return text?.split(separator: "\n").count ?? 0
      }
      var options = OpenOptions()
      options.device = "far"
      let opens = (1...7).map { world.client.opening("photos:\($0)", options) }
      for ended in 0...3 {
        try await waitUntil("four connections") { begun() >= 4 + ended }
        #expect(begun() == 4 + ended)
        try gate.write(contentsOf: Data([0]))
      }
      try gate.write(contentsOf: Data([0, 0, 0]))
      for open in opens { #expect(try await open.receipt().handler == "device:far") }
      try await waitUntil("the URLs there") { far.arrived.count == 7 }
      #expect(Set(far.arrived) == Set((1...7).map { "photos:\($0)" }))
      try await noUnitIsLeft(world)
    }
  }

  @Test("the port of a login is closed when the callback was answered") func login() async throws {
    try await LoginTests().closesPort(["--launcher", "systemd"], withUserManager: true)
  }
}
