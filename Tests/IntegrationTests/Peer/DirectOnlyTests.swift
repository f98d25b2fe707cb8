import BusContract
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// A daemon where no session bus runs.
@MainActor @Suite("A daemon with direct connections only", .timeLimit(.minutes(30)))
struct DirectOnlyTests {
  /// What processes have where nobody has made a bus.
  private static let noBus = ["DBUS_SESSION_BUS_ADDRESS": ""]

  static func start(
    _ world: Testbed, _ environment: [String: String] = [:], options: [String] = []
  ) throws -> ObservedProcess {
    try world.startProcess(
      "launchservicesd", ["--direct-only", "--fetch-associations", "no"] + options,
      environment: noBus.merging(environment) { $1 })
  }

  /// Such a daemon, with two applications.
  static func run(
    options: [String] = [], _ body: (Testbed, ObservedProcess) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["photos"])
      let daemon = try start(world, options: options)
      try await daemon.line(containing: "ready socket=")
      try await body(world, daemon)
      #expect(try await daemon.stop() == "exited with code 0")
    }
  }

  static func command(
    _ line: String, _ world: Testbed, _ environment: [String: String] = [:]
  ) async throws -> (end: String, lines: [String]) {
    let words = line.split(separator: " ").map(String.init)
    let process = try world.startProcess(
      words[0], Array(words.dropFirst()), environment: noBus.merging(environment) { $1 })
    return (try await process.hasEnded(), process.lines)
  }

  @Test(
    "that is stopped is named after 5 s, as one on a bus is",
    arguments: [
      ("lsopen nobody:1", "without a time limit", "nobody"),
      ("lsopen --can-open photos:1", "at most 25 s", "the caller may not ask"),
      ("lsregister list", "at most 25 s", "com.example.photos"),
    ])
  func stopped(_ line: String, _ wait: String, _ answer: String) async throws {
    try await Self.run { world, daemon in
      daemon.signal(SIGSTOP)
      let words = line.split(separator: " ").map(String.init)
      let command = try world.startProcess(
        words[0], Array(words.dropFirst()), environment: Self.noBus)
      let told = try await command.line(containing: "waiting")
      #expect(
        told == "\(words[0]): waiting \(wait) for launchservicesd (process \(daemon.pid)), which is"
          + " stopped; to resume it: kill -CONT \(daemon.pid)")
      daemon.signal(SIGCONT)
      _ = try await command.hasEnded()
      #expect(command.lines.last?.contains(answer) == true, "\(command.lines)")
    }
  }

  @Test(
    "that stays stopped is waited for until the time-out of the command", arguments: [true, false])
  func staysStopped(hasBus: Bool) async throws {
    try await Self.run { world, daemon in
      daemon.signal(SIGSTOP)
      let command = try world.startProcess(
        "lsopen", ["--timeout", "6", "photos:1"], environment: hasBus ? [:] : Self.noBus)
      #expect(try await command.hasEnded() == "exited with code 4")
      #expect(
        command.lines == [
          "lsopen: waiting at most 6 s for launchservicesd (process \(daemon.pid)), which is stopped;"
            + " to resume it: kill -CONT \(daemon.pid)",
          "lsopen: the time given with --timeout is over, and the result of the open is unknown:"
            + " cancelling failed: launchservicesd did not answer in time",
        ])
      daemon.signal(SIGCONT)
    }
  }

  @Test("says that phones need a session bus") func phones() async throws {
    try await Self.run { world, _ in
      let sentence = "phones need KDE Connect, and launchservicesd has no session bus to reach it"
      let listed = try await Self.command("lsregister devices", world)
      #expect(listed.lines.last?.contains(sentence) == true, "\(listed.lines)")
      let opened = try await Self.command("lsopen --on phone photos:1", world)
      #expect(opened.end == "exited with code 4")
      #expect(opened.lines.last?.contains(sentence) == true, "\(opened.lines)")
    }
  }

  @Test("answers what lsopen and lsregister ask") func questions() async throws {
    try await Self.run { world, _ in
      for (line, answer) in [
        ("lsopen --as com.example.caller --can-open photos:1", "yes"),
        ("lsopen --explain photos:1", "com.example.photos"),
        ("lsregister list", "com.example.photos"),
        ("lsregister handlers photos", "com.example.photos"),
        ("lsregister default photos com.example.photos", ""),
        ("lsregister default photos", "com.example.photos"),
        ("lsregister show com.example.photos", "com.example.photos"),
        ("lsregister dump", "com.example.photos"), ("lsregister apps", ""),
        ("lsregister approvals", ""), ("lsregister reload", ""), ("lsopen --history", ""),
      ] {
        let said = try await Self.command(line, world)
        #expect(said.end == "exited with code 0", "\(line): \(said.lines)")
        #expect(
          answer.isEmpty ? said.lines == [] : said.lines.contains { $0.contains(answer) }, "\(line)"
        )
      }
    }
  }

  @Test("registers applications, and remembers them") func registering() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      var application = FolderChangeTests.application("photos")
      application.place = .registered
      let photos = try world.put(application)
      for verb in ["add \(photos.path)", "remove com.example.photos"] {
        let daemon = try Self.start(world)
        try await daemon.line(containing: "ready")
        #expect(
          try await Self.command("lsregister \(verb)", world).end == "exited with code 0", "\(verb)"
        )
        #expect(try await daemon.stop() == "exited with code 0")
      }
    }
  }

  @Test(
    "says of what needs the bus that it does, and what to do",
    arguments: ["lsregister monitor"])
  func needsBus(_ line: String) async throws {
    try await Self.run { world, _ in
      let said = try await Self.command(line, world)
      #expect(said.end == "exited with code 4")
      #expect(said.lines.count == 1)
      #expect(
        said.lines.first?.contains(
          "launchservicesd was started with --direct-only and has no session bus, which this call requires:"
            + " stop launchservicesd and start launchservicesd on a session bus, for example with"
            + " dbus-run-session") == true, "\(said.lines)")
    }
  }

  @Test("ends when another one has the state folder, or the socket") func second() async throws {
    try await Self.run { world, daemon in
      let sharing = try Self.start(world)
      try await sharing.line(containing: "uses the same state folder")
      let why = try await sharing.line(
        containing: "set XDG_STATE_HOME to another folder for one of")
      #expect(why.hasSuffix(" pid=\(daemon.pid)"))
      #expect(try await sharing.hasEnded() == "exited with code 1")
      let other = try Self.start(world, ["XDG_STATE_HOME": world.folder + "/other"])
      try await other.line(containing: "another launchservicesd listens at")
      #expect(try await other.hasEnded() == "exited with code 1")
      #expect(try await Self.command("lsregister list", world).end == "exited with code 0")
    }
  }

  @Test("keeps its socket when one with a bus comes, which says that it has none") func kept()
    async throws
  {
    try await Self.run { world, _ in
      let bus = try #require(world.environment["XDG_RUNTIME_DIR"]) + "/bus"
      try FileManager.default.createSymbolicLink(
        atPath: bus, withDestinationPath: world.folder + "/bus")
      let other = try world.startProcess(
        "launchservicesd", ["--fetch-associations", "no"],
        environment: [
          "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(bus)",
          "XDG_STATE_HOME": world.folder + "/other",
        ])
      try await other.line(containing: "another launchservicesd takes connections there")
      #expect(try await other.stop() == "exited with code 0")
      try FileManager.default.removeItem(atPath: bus)
      #expect(try await Self.command("lsregister list", world).end == "exited with code 0")
    }
  }

  private static let removed =
    "the socket for direct connections was removed and has been created again"

  @Test("makes its socket again, also with its folder") func removed() async throws {
    try await Self.run { world, daemon in
      let socket = try Self.socket(of: world)
      for path in [socket, String(socket[..<(try #require(socket.lastIndex(of: "/")))])] {
        try FileManager.default.removeItem(atPath: path)
        try await daemon.line(containing: Self.removed)
        #expect(try await Self.command("lsregister list", world).end == "exited with code 0")
      }
      // Each time once.
      #expect(daemon.lines.count { $0.contains(Self.removed) } == 2)
    }
  }

  // That it ends when this goes on is tested with the component, which need not wait.
  @Test("says that its socket cannot be made again: another one has it, or the folder is gone")
  func lost() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let first = try Self.start(world)
      try await first.line(containing: "ready socket=")
      first.signal(SIGSTOP)
      try FileManager.default.removeItem(atPath: try Self.socket(of: world))
      let second = try Self.start(world, ["XDG_STATE_HOME": world.folder + "/other"])
      try await second.line(containing: "ready socket=")
      first.signal(SIGCONT)
      try await first.line(containing: "another launchservicesd takes connections there")
      #expect(try await Self.command("lsregister list", world).end == "exited with code 0")
      #expect(try await first.stop() == "exited with code 0")
      #expect(try await Self.command("lsregister list", world).end == "exited with code 0")
      try FileManager.default.removeItem(
        atPath: try #require(world.environment["XDG_RUNTIME_DIR"]))
      try await second.line(containing: "direct connections cannot be accepted")
      #expect(try await second.stop() == "exited with code 0")
    }
  }

  private static func socket(of world: Testbed) throws -> String {
    let environment = world.environment.merging(noBus) { $1 }
    return try #require(
      DirectSocket.path { environment[$0].flatMap { $0.isEmpty ? nil : $0 } })
  }

  /// An application that never checks in.
  private static let hung = """
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.hung</string>
    <key>CFBundleSupportedPlatforms</key><array><string>MacOSX</string></array>
    <key>ProgramArguments</key><array><string>/bin/sleep</string><string>600</string></array>
    <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
    <array><string>hang</string></array></dict></array></dict></plist>
    """

  /// Processes that hold connections, each with a call.
  enum Holders: String, CaseIterable {
    /// 200 processes with a connection each, without a call.
    case idle
    /// The same, with an open that waits.
    case opening
    /// 6 processes with 32 connections each, which they offer for deliveries.
    case offering
  }

  @Test(
    "makes room for a command where many processes have connections, also with a call that waits",
    arguments: Holders.allCases)
  func manyProcesses(_ kind: Holders) async throws {
    let holders = """
      import ctypes, os, signal, socket, struct, sys
      def text(kind, value): return struct.pack("<I" if kind != "g" else "<B", len(value)) + value + b"\\0"
      def pad(data, size): return data + bytes(-len(data) % size)
      def call(interface, member, signature, body):
        body = pad(pad(body, 4) + struct.pack("<I", 0), 8)
        fields = b""
        for code, kind, value in (
          (1, "o", b"/org/launchservices/LaunchServices1"), (2, "s", interface), (3, "s", member),
          (8, "g", signature)):
          fields = pad(fields, 8) + struct.pack("<BB", code, 1) + kind.encode() + b"\\0" + text(kind, value)
        return pad(b"l\\1\\0\\1" + struct.pack("<III", len(body), 1, len(fields)) + fields, 8) + body
      calls = {
        "idle": None,
        "opening": call(b"org.launchservices.Workspace1", b"OpenURL", b"sa{sv}", text("s", b"hang:1")),
        "offering": call(b"org.launchservices.Launch1", b"DeliverDirectly", b"a{sv}", b""),
      }
      done, tell = os.pipe()
      processes, each = (6, 32) if sys.argv[2] == "offering" else (200, 1)
      for _ in range(processes):
        if os.fork() == 0:
          ctypes.CDLL(None).prctl(1, 9)
          kept = []
          for _ in range(each):
            connection = socket.socket(socket.AF_UNIX)
            kept.append(connection)
            connection.connect(sys.argv[1])
            user = b"%d" % os.getuid()
            connection.sendall(b"\\0AUTH EXTERNAL " + user.hex().encode() + b"\\r\\n")
            connection.recv(100)
            connection.sendall(b"BEGIN\\r\\n")
            if calls[sys.argv[2]]: connection.sendall(calls[sys.argv[2]])
            if sys.argv[2] == "offering": connection.recv(1000)
            os.write(tell, b".")
          signal.pause()
      for _ in range(processes * each): os.read(done, 1)
      print("all connected", flush=True)
      signal.pause()
      """
    try await Testbed.run(startsDaemon: false) { world in
      let daemon = try Self.start(world)
      try await daemon.line(containing: "ready socket=")
      let hung = world.folder + "/hung.plist"
      try Self.hung.write(toFile: hung, atomically: true, encoding: .utf8)
      #expect(try await Self.command("lsregister add \(hung)", world).end == "exited with code 0")
      let others = try world.startProcess(
        "/usr/bin/python3", ["-c", holders, try Self.socket(of: world), kind.rawValue])
      try await others.line(containing: "all connected")
      for _ in 1...3 {
        #expect(try await Self.command("lsregister list", world).end == "exited with code 0")
      }
      try await others.stop()
      #expect(try await daemon.stop() == "exited with code 0")
    }
  }

  @Test("needs a folder for the socket, and without the option a bus") func impossible()
    async throws
  {
    try await Testbed.run(startsDaemon: false) { world in
      let homeless = try Self.start(world, ["XDG_RUNTIME_DIR": ""])
      #expect(try await homeless.hasEnded() == "exited with code 64")
      try await homeless.line(containing: "--direct-only needs an absolute path in XDG_RUNTIME_DIR")
      let usual = try world.startProcess("launchservicesd", environment: Self.noBus)
      #expect(try await usual.hasEnded() == "exited with code 3")
      try await usual.line(containing: "with --direct-only where there is no bus")
    }
  }

  @Test(
    "Without a bus, and without such a daemon, one line says what is missing and what to do",
    arguments: ["", ":9"])
  func nothing(display: String) async throws {
    let missing =
      "the session bus cannot be reached: DBUS_SESSION_BUS_ADDRESS is not set, and there is no"
      + " $XDG_RUNTIME_DIR/bus; "
    let advice =
      "log in to a session, or run the command with dbus-run-session; launchservicesd --direct-only"
      + " works without a bus"
    try await Testbed.run(startsDaemon: false) { world in
      for (line, expected) in [
        ("lsopen photos:1", "lsopen: " + missing + advice),
        ("lsopen --can-open photos:1", "lsopen: " + missing + advice),
        ("lsregister list", "lsregister: " + missing + advice),
        (
          "launchservicesd",
          "launchservicesd: " + missing + "run launchservicesd with dbus-run-session, or with"
            + " --direct-only where there is no bus"
        ),
      ] {
        let said = try await Self.command(line, world, ["DISPLAY": display])
        #expect(said.end == "exited with code 3")
        #expect(said.lines == [expected])
      }
    }
  }
}
