import BusContract
import Glibc
import LaunchServicesTesting
import Testing

/// The commands used to wait without a word, or to name the wrong reason.
@MainActor @Suite("What the commands wait for", .timeLimit(.minutes(30)))
struct WaitingTests {
  @Test(
    "a daemon that is stopped is named after 5 s, with what lets it go on",
    arguments: [
      ["lsopen", "photos:1"], ["lsregister", "list"], ["lsregister", "desktop", "status"],
    ])
  func stopped(command: [String]) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      world.daemon.signal(SIGSTOP)
      let waiting = try world.startProcess(command[0], Array(command.dropFirst()))
      let pid = world.daemon.pid
      let line = try await waiting.line(containing: "is stopped")
      #expect(
        line.hasSuffix(
          ": waiting \(command[0] == "lsopen" ? "without a time limit" : "at most 25 s") for launchservicesd (process"
            + " \(pid)), which is stopped; to resume it: kill -CONT \(pid)"
        ))
      world.daemon.signal(SIGCONT)
      #expect(try await waiting.hasEnded() == "exited with code 0")
    }
  }

  @Test(
    "a time limit counts for a daemon that is stopped, too, which is named",
    arguments: [true, false])
  func stoppedWithLimit(isDirect: Bool) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      world.daemon.signal(SIGSTOP)
      let arguments = ["--timeout", "0.2"] + (isDirect ? [] : ["--stderr", "/dev/null"])
      let lsopen = try world.startProcess("lsopen", arguments + ["photos:1"])
      #expect(try await lsopen.hasEnded() == "exited with code 4")
      #expect(
        lsopen.lines == [
          "lsopen: the time given with --timeout is over, and the result of the open is unknown:"
            + " launchservicesd (process \(world.daemon.pid)) is stopped; to resume it: kill -CONT"
            + " \(world.daemon.pid)"
        ])
      world.daemon.signal(SIGCONT)
    }
  }

  @Test("where a daemon on another bus has the state folder, it is named") func otherBus()
    async throws
  {
    try await Testbed.run { world in
      let bus = try world.startProcess(
        "/usr/bin/dbus-daemon",
        [
          "--config-file=\(world.folder)/bus.conf", "--address=unix:path=\(world.folder)/other",
          "--nofork", "--nopidfile", "--print-address=1",
        ])
      try await bus.line(containing: "unix:path")
      let lsopen = try world.startProcess(
        "lsopen", ["photos:1"],
        environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(world.folder)/other"])
      #expect(try await lsopen.hasEnded() == "exited with code 3")
      let folder = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      #expect(
        lsopen.lines.last?.hasSuffix(
          "; a launchservicesd, process \(world.daemon.pid), that is not on this session bus uses the state folder"
            + " \(folder): if it was started just now, repeat the command; otherwise end it, or set"
            + " XDG_STATE_HOME to another folder for one daemon"
        )
          == true, "\(lsopen.lines)")
      _ = try await bus.stop()
    }
  }

  @Test("who joined an open and waits no longer is told that the open goes on") func joined()
    async throws
  {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"], .launching(.wait, .checkIn(), .finishLaunching())
      )
      let first = try world.startProcess("lsopen", ["--request-id", "one", "photos:1"])
      try await photos.isWaiting()
      let second = try world.startProcess(
        "lsopen", ["--request-id", "one", "--timeout", "0.3", "photos:1"])
      #expect(try await second.hasEnded() == "exited with code 4")
      #expect(
        second.lines == [
          "lsopen: the time given with --timeout is over; the open continues, because another"
            + " command waits for it"
        ])
      try await photos.go()
      #expect(try await first.hasEnded() == "exited with code 0")
      #expect(photos.heard().last == .opened("photos:1"))
    }
  }

  @Test("a message over 2 MiB goes over the bus, and is answered with the limit that it exceeds")
  func large() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let program = """
        import os, resource, sys
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, hard))
        os.execv(sys.argv[1], ["lsopen", "photos:1", "--args"] + ["a" * 120000] * 18)
        """
      let lsopen = try world.startProcess(
        "/usr/bin/python3", ["-c", program, try #require(Example.program("lsopen"))])
      #expect(try await lsopen.hasEnded() == "exited with code 4")
      #expect(lsopen.lines.count == 1, "\(lsopen.lines)")
      #expect(
        lsopen.lines.first?.hasSuffix(
          " bytes; at most 262144 are accepted (OSStatus error -10810)") == true, "\(lsopen.lines)")
    }
  }
}
