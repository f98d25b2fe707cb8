import BusContract
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// New instances without end took all descriptors of the daemon, and nobody could be identified any more.
@Suite("Attack: new instances and descriptors", .timeLimit(.minutes(30)))
@MainActor struct AttackInstanceFloodTests {
  private static func limited(_ world: Testbed, to number: Int) async throws {
    try world.writeSettings("<key>MaximumInstances</key><integer>\(number)</integer>")
    try await world.startDaemon()
  }

  @Test("One application has so many processes, and others are started nevertheless")
  func ofApplication() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await Self.limited(world, to: 3)
      try await world.install("com.example.mac", schemes: ["mac"]) { $0.sdk = "macosx26.0" }
      try await world.install("com.example.photos", schemes: ["photos"])
      for number in 0..<3 { _ = try await world.client.open("mac:\(number)", newInstance: true) }
      // Another process has new instances of its own to ask for.
      let other = try world.startProcess("lsopen", ["--new", "mac:4"])
      try await other.line(
        containing: "3 processes of com.example.mac run already, which is the limit"
          + " MaximumInstances of the settings: end some of these instances, or open without the"
          + " option new-instance")
      #expect(try await world.client.open("mac:5").outcome == .deliveredWarm)
      #expect(try await world.client.open("photos:1").outcome == .deliveredCold)
    }
  }

  @Test("One caller has so many new instances, of all applications") func ofCaller() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await Self.limited(world, to: 3)
      for name in ["a", "b"] {
        try await world.install("com.example.\(name)", schemes: [name]) { $0.sdk = "macosx26.0" }
      }
      for url in ["a:1", "a:2", "b:1"] {
        _ = try await world.client.open(url, newInstance: true)
      }
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "3 extra instances started by this caller are running, which is the limit MaximumInstances"
            + " of the settings: end some of these instances, or open without the option"
            + " new-instance (OSStatus error -10810)")
      ) { try await world.client.open("b:2", newInstance: true) }
      let other = try world.startProcess("lsopen", ["--new", "b:3"])
      #expect(try await other.hasEnded() == "exited with code 0", "\(other.lines)")
    }
  }

  @Test(
    "The daemon may have as many descriptors as the system allows, and applications get the usual number"
  )
  func limit() async throws {
    try await Testbed.run { world in
      func limits(_ pid: Int32) throws -> [Substring] {
        let text = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
        let line = try #require(
          text.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        return Array(line.split(separator: " ").dropFirst(3).prefix(2))
      }
      try await world.install("com.example.photos", schemes: ["photos"])
      let pid = try await world.client.open("photos:1").pid
      let own = try limits(getpid())
      let (daemon, handler) = (try limits(world.daemon.pid), try limits(Int32(pid)))
      #expect(daemon[0] == daemon[1])
      // systemd gives every unit its own default, DefaultLimitNOFILE.
      #expect(handler[0] == (Testbed.usesUserManager ? "1024" : own[0]))
    }
  }

  @Test("Direct connections leave descriptors to identify callers with, and to start applications")
  func directConnections() async throws {
    let holders = """
      import ctypes, os, signal, socket, sys
      done, tell = os.pipe()
      for _ in range(8):
        if os.fork() == 0:
          ctypes.CDLL(None).prctl(1, signal.SIGKILL)
          held = []
          for _ in range(24):
            connection = socket.socket(socket.AF_UNIX)
            try:
              connection.connect(sys.argv[1])
              user = str(os.getuid()).encode().hex().encode()
              connection.sendall(b"\\0AUTH EXTERNAL " + user + b"\\r\\n")
              connection.recv(100)
              connection.sendall(b"BEGIN\\r\\n")
            except OSError: pass
            held.append(connection)
          os.write(tell, b".")
          signal.pause()
      for _ in range(8): os.read(done, 1)
      print("all connected", flush=True)
      signal.pause()
      """
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("photos:1")
      let open = try FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(world.daemon.pid)/fd"
      ).compactMap { Int($0) }
      // Fewer than the holders want, and enough for the rest.
      let prlimit = try world.startProcess(
        "prlimit", ["--pid", "\(world.daemon.pid)", "--nofile=\((open.max() ?? 0) + 140):"])
      #expect(try await prlimit.hasEnded() == "exited with code 0")
      let environment = world.environment
      let socket = try #require(
        DirectSocket.path { environment[$0].flatMap { $0.isEmpty ? nil : $0 } })
      let others = try world.startProcess("/usr/bin/python3", ["-c", holders, socket])
      try await others.line(containing: "all connected")
      let stranger = try await world.newClient()
      #expect(try await stranger.canOpen("photos:") == false)
      #expect(try await stranger.open("photos:2").outcome == .deliveredWarm)
      #expect(try await stranger.open("mail:1").outcome == .deliveredCold)
      let free =
        (open.max() ?? 0) + 140
        - (try FileManager.default.contentsOfDirectory(atPath: "/proc/\(world.daemon.pid)/fd").count)
      #expect(free >= 32, "\(free)")
      try await others.stop()
    }
  }

  @Test("When descriptors run short, callers are identified, and nothing is started") func short()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("photos:1")
      let open = try FileManager.default.contentsOfDirectory(
        atPath: "/proc/\(world.daemon.pid)/fd"
      ).compactMap { Int($0) }
      let prlimit = try world.startProcess(
        "prlimit",
        ["--pid", "\(world.daemon.pid)", "--nofile=\((open.max() ?? 0) + 12):"])
      #expect(try await prlimit.hasEnded() == "exited with code 0")
      let stranger = try await world.newClient()
      #expect(try await stranger.canOpen("photos:") == false)
      #expect(try await stranger.open("photos:2").outcome == .deliveredWarm)
      let refusal = await #expect(throws: Refusal.self) { try await stranger.open("mail:1") }
      #expect(refusal?.text.contains("the daemon is short of file descriptors") == true)
    }
  }
}
