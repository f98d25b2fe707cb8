import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

@Suite(
  "Applications as systemd units", .timeLimit(.minutes(30)),
  .enabled(
    if: Testbed.userManagerProblem == nil,
    "needs a systemd --user: \(Testbed.userManagerProblem ?? "")"
  ))
struct UnitTests {
  private static let photos = "com.example.my-photos"
  private static let prefix = #"app-launchservices-com.example.my\x2dphotos@"#

  private func run(
    _ options: [String] = [], _ body: @MainActor (Testbed, UserUnits) async throws -> Void
  ) async throws {
    try await Testbed.run(options, withUserManager: true) { world in
      try await body(world, UserUnits(world: world))
    }
  }

  private func log(of unit: String) -> String {
    "(unit \(unit); its log: journalctl --user -u '\(unit)')"
  }

  @Test("A cold open starts a unit of app.slice that is named after the application")
  func coldOpen() async throws {
    try await run { world, units in
      try await world.install(Self.photos, schemes: ["photos"])
      let explained = try await world.client.explain("photos:1")
      #expect(
        explained.sentence(of: "launch")?.hasSuffix("as unit \(Self.prefix)RANDOM.service") == true)

      let receipt = try await world.client.open("photos:1")
      #expect(receipt.outcome == .deliveredCold)
      let unit = try #require(try await units.unit(of: Self.photos))
      #expect(unit.hasPrefix(Self.prefix) && unit.hasSuffix(".service"))
      #expect(try await units.state(of: unit) == "active")
      #expect(try await units.property("MainPID", of: unit)?.asUInt32 == UInt32(receipt.pid))
      #expect(try await units.property("Slice", of: unit)?.asString == "app.slice")
      let group = try String(contentsOfFile: "/proc/\(receipt.pid)/cgroup", encoding: .utf8)
      #expect(group.contains("/app.slice/\(unit)\n"))
      #expect(
        try await world.client.explain("photos:2").sentence(of: "unit")
          == "\(unit); its log: journalctl --user -u '\(unit)'")
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
      let apps = try world.startProcess("lsregister", ["apps"])
      #expect(try await apps.hasEnded() == "exited with code 0")
      #expect(apps.lines.count { $0.hasPrefix(Self.photos) && $0.hasSuffix(unit) } == 1)
    }
  }

  @Test("Arguments, variables and streams of the opener arrive as they are")
  func startedAsAsked() async throws {
    try await run { world, _ in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], StartedProcessTests.reporting)
      var options = OpenOptions()
      options.arguments = ["$HOME", "${HOME}", "%h", "two words", "", "\\x41", "\"", ";"]
      options.environment = ["GIVEN": "$HOME %h \"ä\"\n2", "BASH_FUNC_x%%": "() { :; }"]
      let path = world.folder + "/output"
      options.standardOutput = OwnedDescriptor(
        adopting: unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
      let receipt = try await world.client.open("photos:1", options)
      #expect(try await photos.next() == .started)
      guard case .facts(let facts) = try await photos.next() else {
        Issue.record("no facts")
        return
      }
      #expect(facts.arguments == options.arguments)
      #expect(facts.environment["GIVEN"] == options.environment["GIVEN"])
      #expect(facts.environment["BASH_FUNC_x%%"] == "() { :; }")
      #expect(facts.environment["XDG_ACTIVATION_TOKEN"] == nil)
      #expect(facts.workingDirectory == world.environment["HOME"])
      #expect(facts.processGroup == receipt.pid)
      #expect(facts.descriptors == [0, 1, 2])
      #expect(facts.blockedSignals == "0000000000000000")
      let ignored = try #require(UInt64(facts.ignoredSignals, radix: 16))
      #expect(ignored & 0x7fff_ffff == 0)
      let output = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(receipt.pid)/fd/1")
      #expect(output == path)
    }
  }

  @Test(
    "Whatever the application starts is the application",
    arguments: [
      (Asker.itself, "it checked in on this connection"),
      (.child, "it is, or descends from, a process the daemon started for the application"),
      (.detached, "it runs in a systemd unit of the application"),
      (.survivor, "it is, or descends from, a process the daemon started for the application"),
    ])
  func identity(_ asker: Asker, _ how: String) async throws {
    try await run { world, _ in
      try await world.install("com.example.other", queries: ["foo"])
      let photos = try await world.install(Self.photos, schemes: ["photos"])
      _ = try await world.client.open("photos:1")
      let explanation = try await photos.explain("photos:", by: asker)
      #expect(explanation.sentence(of: "caller") == "\(Self.photos): \(how)")
      guard asker != .survivor else { return }
      await #expect(throws: Refusal.self) {
        try await photos.canOpen("foo:", as: "com.example.other", by: asker)
      }
    }
  }

  @Test(
    "A unit that a desktop has started is known by its name",
    arguments: [
      (#"app-gnome-com.example.my\x2dphotos@12.service"#, true),
      (#"app-com.example.my\x2dphotos.service"#, true),
      ("app-gnome-com.example.unknown@12.service", false), ("photos.service", false),
    ])
  func foreignUnit(_ unit: String, _ isKnown: Bool) async throws {
    try await run { world, _ in
      try await world.install(Self.photos, schemes: ["photos"], queries: ["foo"])
      let lsopen = try world.startProcess(
        "systemd-run",
        [
          "--user", "--pipe", "--quiet", "--unit=\(unit)", try programs("lsopen"), "--explain",
          "foo:",
        ])
      let line = try await lsopen.line(containing: "caller")
      #expect(line.contains("it runs in a systemd unit of the application") == isKnown)
      #expect(line.contains(Self.photos) == isKnown)
      _ = try await lsopen.hasEnded()
    }
  }

  @Test(
    "A unit that a desktop has started for a desktop entry is known by its name, without an allowlist"
  )
  func desktopEntry() async throws {
    try await run { world, _ in
      try await world.install(Self.photos, schemes: ["photos"])
      let entries = "\(world.folder)/data/applications"
      try FileManager.default.createDirectory(
        atPath: entries, withIntermediateDirectories: true)
      for (name, categories) in [("org.example.Viewer", "Office;"), ("term", "TerminalEmulator;")] {
        try
          "[Desktop Entry]\nType=Application\nName=a\nExec=/usr/bin/true %u\nCategories=\(categories)\n"
          .write(toFile: "\(entries)/\(name).desktop", atomically: true, encoding: .utf8)
      }
      try await world.client.reload()
      for (unit, answer) in [
        ("app-gnome-org.example.Viewer@7.service", "yes"), ("app-gnome-term@7.service", "no"),
        ("app-gnome-org.example.Unknown@7.service", "no"),
      ] {
        let lsopen = try world.startProcess(
          "systemd-run",
          [
            "--user", "--pipe", "--quiet", "--unit=\(unit)", try programs("lsopen"),
            "--can-open", "photos:",
          ])
        try await lsopen.line(containing: answer)
        _ = try await lsopen.hasEnded()
      }
    }
  }

  @Test("A token that was read from the unit is no use to others, and still good for its process")
  func stolenToken() async throws {
    try await run { world, units in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .launching(.wait, .checkIn(), .finishLaunching()))
      let opening = world.client.opening("photos:1")
      try await photos.isWaiting()
      let unit = try #require(try await units.unit(of: Self.photos))
      let variables = try await units.property("Environment", of: unit)?.asStrings ?? []
      let variable = try #require(variables.first { $0.hasPrefix("LAUNCH_SERVICES_TOKEN=") })
      let token = String(variable.dropFirst("LAUNCH_SERVICES_TOKEN=".count))

      var checkIn = CheckInOptions()
      checkIn.token = token
      let thief = try await world.newClient()
      let refusal = await #expect(throws: Refusal.self) {
        try await thief.call(Contract.checkIn(checkIn))
      }
      #expect(refusal?.text.contains("the token was given to another process") == true)
      try await photos.go()
      #expect(try await opening.receipt().outcome == .deliveredCold)
    }
  }

  @Test("Stopping or killing the unit is the end of the handler", arguments: [true, false])
  func killed(_ isStopped: Bool) async throws {
    try await run { world, units in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.wait, .answer(true)]))
      let opening = world.client.opening("photos:1")
      try await photos.isWaiting()
      let unit = try #require(try await units.unit(of: Self.photos))
      if isStopped { try await units.stop(unit) } else { try await units.kill(unit, SIGKILL) }
      let how = isStopped ? "was ended by SIGTERM (signal 15)" : "was ended by SIGKILL (signal 9)"
      await #expect(
        throws: Refusal(
          "HandlerExited",
          "\(Self.photos) ended before it acknowledged the delivery: \(how) \(log(of: unit))"
            + " (OSStatus error -600)")
      ) { try await opening.receipt() }
      photos.script = .delegate()
      #expect(try await world.client.open("photos:2").outcome == .deliveredCold)
      #expect(try await units.unit(of: Self.photos) != unit)
    }
  }

  @Test("A process that ends while it launches tells its code")
  func exitCode() async throws {
    try await run { world, _ in
      try await world.install(Self.photos, schemes: ["photos"], .launching(.exit(3)))
      let refusal = await #expect(throws: Refusal.self) { try await world.client.open("photos:1") }
      #expect(refusal?.name == "org.launchservices.Error.HandlerExited")
      #expect(
        refusal?.text.hasPrefix(
          "\(Self.photos) ended while launching: exited with code 3 (unit \(Self.prefix)") == true)
    }
  }

  @Test("Regression: one that forks and leaves goes on, also when systemd is late to tell its end")
  func forksWhileSystemdIsBusy() async throws {
    try await run { world, units in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"],
        .launching(.wait, .forkAndLeave, .wait, .checkIn(), .finishLaunching()))
      let opening = world.client.opening("photos:1")
      try await photos.isWaiting()
      let first = try #require(photos.pids.first)
      try await waitUntil("the unit") { try await units.unit(of: Self.photos) != nil }
      let manager = try #require(world.userManagerProcess)
      manager.signal(SIGSTOP)
      defer { manager.signal(SIGCONT) }
      try await photos.go()
      try await photos.isWaiting()
      try await waitUntil("the end of process \(first)") {
        !ProcessTraces.runs(first, from: photos.path)
      }
      try await world.client.ping()  // the daemon has heard of it
      try await photos.go()
      try await photos.next(.finishing)
      manager.signal(SIGCONT)
      let receipt = try await opening.receipt()
      #expect(receipt.outcome == .deliveredCold)
      #expect(receipt.pid == photos.pids.last && receipt.pid != first)
      #expect(try await world.client.open("photos:2").outcome == .deliveredWarm)
    }
  }

  @Test("Regression: a systemd that is late when the daemon starts is good for units afterwards")
  func late() async throws {
    try await Testbed.run(startsDaemon: false, withUserManager: true) { world in
      try await world.install(Self.photos, schemes: ["photos"])
      let manager = try #require(world.userManagerProcess)
      manager.signal(SIGSTOP)
      defer { manager.signal(SIGCONT) }
      try await world.startDaemon()
      manager.signal(SIGCONT)
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
      let unit = try await UserUnits(world: world).unit(of: Self.photos)
      #expect(unit?.hasPrefix(Self.prefix) == true)
    }
  }

  @Test("A program that cannot run is told with its unit")
  func noInterpreter() async throws {
    try await run { world, _ in
      try await world.install(Self.photos, schemes: ["photos"]) {
        $0.executable = .file("#!/nowhere/interpreter\n", permissions: 0o755)
      }
      let refusal = await #expect(throws: Refusal.self) { try await world.client.open("photos:1") }
      #expect(refusal?.name == "org.launchservices.Error.NoExecutable")
      #expect(refusal?.text.contains("journalctl --user -u '\(Self.prefix)") == true)
    }
  }

  @Test("A launch that takes too long ends its unit, and is told with it")
  func watchdog() async throws {
    try await run(["--launch-timeout", "1"]) { world, units in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .launching(.wait))
      let opening = world.client.opening("photos:1")
      try await photos.isWaiting()
      let unit = try #require(try await units.unit(of: Self.photos))
      await #expect(
        throws: Refusal(
          "LaunchTimedOut",
          "\(Self.photos) did not check in within 1 s \(log(of: unit))"
            + " (OSStatus error -1712)")
      ) { try await opening.receipt() }
      try await photos.hasLeftTheBus()
    }
  }

  @Test(
    "The daemon ends, the applications go on, and the next daemon finds them",
    arguments: [true, false])
  func restart(_ isKilled: Bool) async throws {
    try await run { world, units in
      var script = HandlerScript.delegate()
      script.comesBack = .remembering
      let photos = try await world.install(Self.photos, schemes: ["photos"], script)
      let pid = try await world.client.open("photos:1").pid
      let unit = try #require(try await units.unit(of: Self.photos))
      if isKilled { try await world.killDaemon() } else { try await world.stopDaemon() }
      #expect(try await units.state(of: unit) == "active")
      try await world.startDaemon()
      let receipt = try await world.client.open("photos:2")
      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == pid)
      #expect(try await units.unit(of: Self.photos) == unit)

      let end = world.client.end(of: pid)
      _ = try await world.client.call(Contract.ping())  // the daemon has heard of it
      try await units.kill(unit, SIGUSR1)
      let how = try await end.how()
      #expect(how == "was ended by SIGUSR1 (signal 10)")
      _ = photos
    }
  }

  /// Starts a daemon that suspends applications in the background after 1 s, with two to open in turn.
  @MainActor private func startSuspending(in world: Testbed) async throws {
    try world.writeSettings("<key>SuspendAfter</key><integer>1</integer>")
    try await world.startDaemon()
    try await world.install(Self.photos, schemes: ["photos"])
    try await world.install("com.example.mail", schemes: ["mail"])
  }

  @Test("An application in the background is frozen with its unit, and thawed by the next URL")
  func frozen() async throws {
    try await Testbed.run(startsDaemon: false, withUserManager: true) { world in
      let units = UserUnits(world: world)
      try await startSuspending(in: world)
      let pid = try await world.client.open("photos:1").pid
      let unit = try #require(try await units.unit(of: Self.photos))
      _ = try await world.client.open("mail:1")
      let unitInterface: InterfaceName = "org.freedesktop.systemd1.Unit"
      try await waitUntil("that \(unit) is frozen") {
        try await units.property("FreezerState", of: unit, unitInterface)?.asString == "frozen"
      }
      #expect(try await world.client.states()[Self.photos] == "suspended")

      let receipt = try await world.client.open("photos:2")
      #expect(receipt.outcome == .deliveredWarm)
      #expect(receipt.pid == pid)
    }
  }

  @Test("One that is being frozen when the daemon ends is thawed all the same")
  func frozenAtTheEnd() async throws {
    try await Testbed.run(startsDaemon: false, withUserManager: true) { world in
      let units = UserUnits(world: world)
      try await startSuspending(in: world)
      let end = world.client.end(of: try await world.client.open("photos:1").pid)
      let unit = try #require(try await units.unit(of: Self.photos))
      _ = try await world.client.open("mail:1")
      // The manager hears the order to freeze only when the daemon has told that it ends.
      let manager = try #require(world.userManagerProcess)
      manager.signal(SIGSTOP)
      try await waitUntil("the suspension of \(Self.photos)") {
        try await world.client.states()[Self.photos] == "suspended"
      }
      world.daemon.signal(SIGTERM)
      await #expect(throws: Refusal.self) { try await end.how() }
      manager.signal(SIGCONT)
      #expect(try await world.daemon.hasEnded() == "exited with code 0")
      while true {
        let state = try await units.property(
          "FreezerState", of: unit, "org.freedesktop.systemd1.Unit")?.asString
        if state == "running" { break }
        #expect(state == "freezing" || state == "thawing")
        guard state != "frozen" else { break }
      }
    }
  }

  @Test("With Launcher = spawn no unit is made") func spawn() async throws {
    try await run(["--launcher", "spawn"]) { world, units in
      try await world.install(Self.photos, schemes: ["photos"])
      _ = try await world.client.open("photos:1")
      #expect(try await units.unit(of: Self.photos) == nil)
    }
  }

  private func programs(_ name: String) throws -> String {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(filePath: own).deletingLastPathComponent().appending(path: name).path
  }
}

@Suite("Launchers without a user manager", .timeLimit(.minutes(30)))
struct NoUserManagerTests {
  @Test("Launcher = systemd fails and says what to do, automatic starts a process")
  func withoutManager() async throws {
    try await Testbed.run(startsDaemon: false, withUserManager: false) { world in
      try world.writeSettings("<key>Launcher</key><string>systemd</string>")
      try await world.startDaemon()
      try await world.install("com.example.photos", schemes: ["photos"])
      await #expect(
        throws: Refusal(
          "LaunchFailed",
          "the launcher is systemd (setting Launcher, --launcher or --confined), but org.freedesktop.systemd1 is not on the session bus;"
            + " set it to automatic or spawn, or start a user manager (OSStatus error -10810)")
      ) { try await world.client.open("photos:1") }
      try await world.restartDaemon(["--launcher", "automatic"])
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    }
  }
}
