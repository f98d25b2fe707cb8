import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Connections to the daemon itself, with no bus between.
@Suite("Direct connections", .timeLimit(.minutes(30)))
struct DirectTests {
  /// Where the daemon takes connections, which it does.
  @MainActor static func socket(of world: Testbed) async throws -> String {
    _ = try await world.newDirectClient()
    let environment = world.environment
    return try #require(DirectSocket.path { environment[$0] })
  }

  /// Asks with `lsopen`, which must say yes.
  @MainActor static func lsopenCanOpen(
    _ url: String, _ world: Testbed, _ environment: [String: String] = [:]
  ) async throws {
    let process = try world.startProcess(
      "lsopen", ["--as", "com.example.caller", "--can-open", url], environment: environment)
    try await process.line(containing: "yes")
    #expect(try await process.hasEnded() == "exited with code 0")
  }

  @Test("Who was let in is answered while the bus stands still") func withoutBus() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["photos"])
      _ = try await world.newDirectClient()
      try await Self.answersWhileTheBusStands(world)
      try await Self.lsopenCanOpen("photos:1", world)
    }
  }

  @Test("lsopen finds the daemon of the user where nothing says which bus there is")
  func noSessionBus() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      // The usual place of the bus of a user.
      let bus = try #require(world.environment["XDG_RUNTIME_DIR"]) + "/bus"
      try FileManager.default.createSymbolicLink(
        atPath: bus, withDestinationPath: world.folder + "/bus")
      try await world.startDaemon(
        environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(bus)"])
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["photos"])
      try FileManager.default.removeItem(atPath: bus)
      try await Self.lsopenCanOpen("photos:1", world, ["DBUS_SESSION_BUS_ADDRESS": ""])
    }
  }

  @Test("A URL is delivered cold and warm, and the record knows both")
  func opened() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let client = try await world.newDirectClient()
      #expect(try await client.open("photos:1").outcome == .deliveredCold)
      #expect(try await client.open("photos:2").outcome == .deliveredWarm)
      #expect(photos.heard().suffix(2) == [.opened("photos:1"), .opened("photos:2")])
    }
  }

  @Test("What was asked before the caller left still counts, in its order")
  func leaving() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let expected = (1...200).map { "photos:\($0)" }
      do {
        let connection = try Connection(
          socket: try await Self.socket(of: world), within: .seconds(20))
        for url in expected {
          connection.send(Contract.openURL(url))
        }
        connection.flush()
      }
      for url in expected { try await photos.next(.opened(url)) }
    }
  }

  @Test("Handlers, agents and monitors belong on the bus")
  func notSupported() async throws {
    try await Testbed.run { world in
      let client = try await world.newDirectClient()
      for message in [
        { Contract.checkIn(CheckInOptions()) }, { Contract.monitor() },
        { Contract.registerAgent("/agent") },
      ] {
        let refusal = await #expect(throws: Refusal.self) { _ = try await client.call(message()) }
        #expect(refusal?.name == "org.freedesktop.DBus.Error.NotSupported")
        #expect(
          refusal?.text
            == "this call requires a connection to the session bus, and the caller uses a direct"
            + " connection")
      }
    }
  }

  @Test("Nobody is believed who says to be another connection") func forged() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let pid = try await world.client.open("photos:1").pid
      let forger = try world.startProcess(
        "/usr/bin/python3",
        [Fixture.path("forged-sender.py"), try await Self.socket(of: world), String(pid)])
      // The handler has two connections, its own and that for the test.
      for _ in 0..<2 {
        let line = try await forger.line(containing: "caller:")
        #expect(line == "caller: not a registered application")
      }
      #expect(try await forger.hasEnded() == "exited with code 0")
    }
  }

  @Test("Whose time is over is told so, and not that the daemon has ended") func timeout()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"], .launching(.wait))
      // The last part of a millisecond used to be taken for the end of the daemon.
      for milliseconds in 20..<40 {
        let lsopen = try world.startProcess(
          "lsopen", ["--timeout", "0.0\(milliseconds)", "photos:1"])
        #expect(try await lsopen.hasEnded() == "exited with code 4")
        try await lsopen.line(containing: "lsopen: ")
        // On a machine that is slow for a moment, the time is over before the open is sent.
        let ends = [
          "lsopen: the time given with --timeout is over: the open request was cancelled before it was delivered;"
            + " com.example.photos has not checked in (OSStatus error -128)",
          "lsopen: not opened, because the time given with --timeout is over",
        ]
        #expect(lsopen.lines.count == 1 && ends.contains(lsopen.lines[0]), "\(lsopen.lines)")
      }
    }
  }

  /// Only authenticated connections that had nothing to do gave up their places.
  @Test(
    "A caller that comes when all places are taken gets the place of a process that has many",
    arguments: ["many", "deaf", "silent"])
  func full(_ attack: String) async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["photos"])
      for _ in 0..<6 {
        try await Self.attack(attack, world).line(containing: "taken: 32")
      }
      try await Self.answersWhileTheBusStands(world)
      try await Self.lsopenCanOpen("photos:1", world)
    }
  }

  @Test("One process that takes all it gets leaves room for others, without the bus")
  func crowd() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["photos"])
      let crowd = try await Self.attack("many", world)
      try await crowd.line(containing: "taken: 32")
      let said = try await world.daemon.line(containing: "a direct connection was refused")
      #expect(said.hasSuffix("connections=32 of=\"process \(crowd.pid)\""))
      try await Self.answersWhileTheBusStands(world)
    }
  }

  /// A connection that the bus has vouched for needs it no more.
  @MainActor private static func answersWhileTheBusStands(_ world: Testbed) async throws {
    let environment = world.environment
    let connection = try #require(DirectSocket { environment[$0] }?.connection())
    let bus = world.busProcess
    bus.signal(SIGSTOP)
    defer { bus.signal(SIGCONT) }
    let query = QueryOptions(actAs: "com.example.caller")
    let answer = try connection.callAndWait(Contract.canOpenURL("photos:1", query))
    #expect(answer.first == .boolean(true))
  }

  @Test("A caller that never reads its answers gets no more, and nobody else notices")
  func unread() async throws {
    try await Testbed.run { world in
      let deaf = try Connection(
        socket: try await Self.socket(of: world), within: .seconds(20))
      // Their answers would take some 40 MB.
      for _ in 0..<5000 { deaf.send(Self.introspection) }
      let other = try await world.newDirectClient()
      for _ in 0..<100 { try await other.ping() }
      #expect(try Self.residentMegabytes(world.daemon.pid) < 48)
      // It has sent more than is read, and the daemon is not woken for that.
      for _ in 0..<40_000 { deaf.send(Self.introspection) }
      for _ in 0..<100 { try await other.ping() }
      let busy = try Self.clockTicks(world.daemon.pid)
      for _ in 0..<10 { try await Task.sleep(for: .milliseconds(50)) }
      #expect(try Self.clockTicks(world.daemon.pid) - busy < 25)
      withExtendedLifetime(deaf) {}
    }
  }

  @Test("Messages that never end take little memory") func unfinished() async throws {
    try await Testbed.run { world in
      let attack = try await Self.attack("unfinished", world)
      try await attack.line(containing: "sent: 8")
      try await world.newDirectClient().ping()
      #expect(try Self.residentMegabytes(world.daemon.pid) < 64)
    }
  }

  @Test("Who connects is what the kernel says, and can say nothing else")
  func mechanisms() async throws {
    try await Testbed.run { world in
      let attack = try await Self.attack("mechanisms", world)
      #expect(try await attack.line(containing: "offered:") == "offered: REJECTED EXTERNAL")
    }
  }

  @Test("lsopen does not wait for a socket that takes no connections")
  func neverAccepting() async throws {
    try await Self.runWithoutSocket { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["photos"])
      try await Self.takePlace("never-accepting", world)
      try await Self.lsopenCanOpen("photos:1", world)
    }
  }

  @Test("A handler of the library goes on while it waits for a socket that says nothing")
  func neverAnswering() async throws {
    // It would wait for a second, and on a busy machine it may take as long to start.
    for _ in 1...5 {
      var time = Duration.zero
      try await Self.runWithoutSocket { world in
        try await Example.photoAlbum.register(in: world)
        try await Self.takePlace("never-answering", world)
        time = try await ContinuousClock().measure {
          for index in 1...5 { _ = try await world.client.open("myphotoapp:A?index=\(index)") }
        }
      }
      if time < .milliseconds(900) { return }
    }
    Issue.record("it waited each time")
  }

  /// The daemon takes no direct connections.
  @MainActor private static func runWithoutSocket(
    _ body: @MainActor (Testbed) async throws -> Void
  ) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>DirectConnections</key><false/>")
      try await world.startDaemon()
      try await body(world)
    }
  }

  /// Something else listens where others look for the daemon.
  @MainActor private static func takePlace(_ attack: String, _ world: Testbed) async throws {
    let environment = world.environment
    let socket = try #require(DirectSocket.path { environment[$0] })
    let process = try world.startProcess(
      "/usr/bin/python3", [Fixture.path("direct-attacks.py"), socket, attack])
    try await process.line(containing: "listening:")
  }

  @MainActor static func attack(_ name: String, _ world: Testbed) async throws -> ObservedProcess {
    try world.startProcess(
      "/usr/bin/python3",
      [Fixture.path("direct-attacks.py"), try await socket(of: world), name])
  }

  /// Processor time, in hundredths of a second.
  static func clockTicks(_ pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    let fields = status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ")
    return try #require(Int(fields[12])) + #require(Int(fields[13]))
  }

  static func residentMegabytes(_ pid: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.split(whereSeparator: { " \t".contains($0) })[1])) / 1024
  }

  static var introspection: Message {
    .call(
      to: Contract.busName, path: Contract.objectPath,
      interface: "org.freedesktop.DBus.Introspectable", member: "Introspect")
  }

  @Test("Descriptors end a direct connection, and lsopen sends them over the bus")
  func descriptors() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let client = try await world.newDirectClient()
      var options = OpenOptions()
      options.standardOutput = OwnedDescriptor(adopting: unsafe open("/dev/null", O_WRONLY))
      let refusal = await #expect(throws: Refusal.self) {
        _ = try await client.open("photos:1", options)
      }
      #expect(refusal?.name == "org.freedesktop.DBus.Error.Disconnected")
      let file = world.folder + "/output"
      let lsopen = try world.startProcess("lsopen", ["-o", file, "photos:2"])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      #expect(photos.heard().contains(.opened("photos:2")))
      #expect(!photos.heard().contains(.opened("photos:1")))
    }
  }

  @Test("A daemon that follows a killed one takes over its socket")
  func successor() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let client = try await world.newDirectClient()
      try await client.ping()
      try await world.killDaemon()
      await #expect(throws: Refusal.self) { try await client.ping() }
      try await world.startDaemon()
      try await world.newDirectClient().ping()
    }
  }

  @Test("A daemon on a bus makes a socket that was removed again") func removed() async throws {
    try await Testbed.run { world in
      try FileManager.default.removeItem(atPath: try await Self.socket(of: world))
      try await world.daemon.line(
        containing: "the socket for direct connections was removed and has been created again")
      try await world.newDirectClient().ping()
    }
  }

  @Test("A socket that cannot be made again at once is made later") func removedWithTheFolder()
    async throws
  {
    try await Testbed.run { world in
      let socket = try await Self.socket(of: world)
      let folder = String(socket[..<(try #require(socket.lastIndex(of: "/")))])
      unsafe chmod(folder, 0o755)
      try FileManager.default.removeItem(atPath: socket)
      try await world.daemon.line(containing: "direct connections are disabled")
      unsafe chmod(folder, 0o700)
      try await world.daemon.line(
        containing: "the socket for direct connections was removed and has been created again")
      try await world.newDirectClient().ping()
    }
  }

  @Test("The socket goes with the daemon, and is not there when the settings forbid it")
  func gone() async throws {
    try await Testbed.run { world in
      let socket = try await Self.socket(of: world)
      try await world.newDirectClient().ping()
      try await world.stopDaemon()
      #expect(!FileManager.default.fileExists(atPath: socket))
      try world.writeSettings("<key>DirectConnections</key><false/>")
      try await world.startDaemon()
      try await world.client.ping()
      #expect(!FileManager.default.fileExists(atPath: socket))
    }
  }
}
