import BusContract
import DBus
import Foundation
import Glibc
import LaunchServicesTesting
import Testing

/// Very many property lists take a while, and who waits for them sees how far the daemon is.
@MainActor @Suite("How many property lists have been read", .timeLimit(.minutes(30)))
struct ReadingProgressTests {
  /// These take longer than the moment in which nothing is said.
  private nonisolated static let many = 3000
  private static let all = "\(many) of \(many) property lists read"

  /// Loose property lists, while the daemon stands still: it reads them in one round.
  static func putMany(into world: Testbed, named name: String = "many") async throws {
    try await writeMany(to: world.applicationsFolder, named: name)
  }

  /// Away from the main actor, where other tests wait.
  @concurrent private nonisolated static func writeMany(
    to folder: String, named name: String
  ) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for index in 0..<many {
      let list = """
        <plist version="1.0"><dict>
        <key>CFBundleIdentifier</key><string>com.example.\(name)\(index)</string>
        <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>
        <array><string>\(name)\(index)</string></array></dict></array></dict></plist>
        """
      try Data(list.utf8).write(to: URL(filePath: "\(folder)/\(name)\(index).plist"))
    }
  }

  /// Runs a program of the build at a terminal of its own.
  private static func atTerminal(
    _ program: String, _ arguments: [String], _ world: Testbed, environment: [String: String] = [:]
  ) throws -> ObservedProcess {
    let path = try #require(Example.program(program))
    return try world.startProcess(
      "/usr/bin/python3", [Fixture.path("at-terminal.py"), "-", path] + arguments,
      environment: environment)
  }

  /// That a line was written again and again, with growing numbers, and then ended. There are more when
  /// something becomes due meanwhile.
  private static func expectProgress(_ lines: [String], of command: String) throws {
    let rounds = lines.filter { $0.contains("property lists read") }.map { line in
      line.split(separator: "\r").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let texts = try #require(rounds.first { $0.last == "\(command): \(all)" }, "\(lines)")
    #expect(texts.count > 1)
    let numbers = texts.compactMap {
      $0.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
    #expect(numbers == numbers.sorted() && numbers.count == texts.count)
  }

  @Test("A daemon that was started by hand shows it at its terminal, one that the bus started not")
  func daemon() async throws {
    for environment in [[:], ["DBUS_STARTER_BUS_TYPE": "session"]] {
      try await Testbed.run(startsDaemon: false) { world in
        try await Self.putMany(into: world)
        let process = try Self.atTerminal(
          "launchservicesd", ["--fetch-associations", "no"], world, environment: environment)
        try await process.line(containing: "ready")
        if environment.isEmpty {
          try Self.expectProgress(process.lines, of: "launchservicesd")
        } else {
          #expect(!process.lines.contains { $0.contains("property lists read") })
        }
        let name = Contract.busName.text
        let pid = try await world.client.call(
          .call(
            to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus", member: "GetConnectionUnixProcessID",
            [.string(name)]))
        kill(Int32(try #require(pid.first?.asUInt32)), SIGTERM)
        #expect(try await process.hasEnded() == "exited with code 0")
      }
    }
  }

  @Test("lsregister reload shows it at a terminal, and nowhere else") func lsregister()
    async throws
  {
    try await Testbed.run { world in
      let before = try await Self.connections(world)
      world.daemon.signal(SIGSTOP)
      try await Self.putMany(into: world)
      let shown = try Self.atTerminal("lsregister", ["reload"], world)
      let silent = [
        try world.startProcess("lsregister", ["reload"]),
        try Self.atTerminal("lsregister", ["--json", "reload"], world),
      ]
      try await waitUntil("three connections") {
        try await Self.connections(world) >= before + 3
      }
      world.daemon.signal(SIGCONT)
      #expect(try await shown.hasEnded() == "exited with code 0")
      try Self.expectProgress(shown.lines, of: "lsregister")
      #expect(
        shown.lines.allSatisfy {
          $0.contains("property lists read") || $0.contains("waiting without a time limit")
        })
      for process in silent { #expect(try await process.hasEnded() == "exited with code 0") }
      // On a busy machine, the daemon stands still for longer than a command waits silently.
      let others = silent.map { process in
        process.lines.filter { !$0.contains("waiting without a time limit for launchservicesd") }
      }
      #expect(others == [[], ["{}"]])
    }
  }

  @Test("What was read before and has not changed does not count, and a narrow terminal gets less")
  func narrow() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      try await Self.putMany(into: world)
      try await world.startDaemon()
      let before = try await Self.connections(world)
      world.daemon.signal(SIGSTOP)
      try await Self.putMany(into: world, named: "more")
      let path = try #require(Example.program("lsregister"))
      let shown = try world.startProcess(
        "/usr/bin/python3",
        [
          Fixture.path("at-terminal.py"), "-", "/bin/sh", "-c",
          "stty cols 20 && exec \"$0\" reload", path,
        ])
      try await waitUntil("a connection") { try await Self.connections(world) > before }
      world.daemon.signal(SIGCONT)
      #expect(try await shown.hasEnded() == "exited with code 0")
      // On a busy machine the command also says that the daemon does not answer.
      let texts = shown.lines.flatMap { $0.split(separator: "\r") }
        .filter { !$0.contains("lsregister: ") }
      #expect(texts.count > 1)
      #expect(texts.allSatisfy { $0.count < 20 && $0.hasSuffix(" of \(Self.many)") })
      #expect(texts.last == "\(Self.many) of \(Self.many)")
    }
  }

  private static func connections(_ world: Testbed) async throws -> Int {
    let names = try await world.client.call(
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: "ListNames"))
    return names.first?.asStrings?.count ?? 0
  }

  @Test("Only who asked is told, at most ten times a second", arguments: [false, true])
  func signals(isDirect: Bool) async throws {
    try await Testbed.run { world in
      let watcher: Connection
      if isDirect {
        watcher = try Connection(
          socket: try await DirectTests.socket(of: world), within: .seconds(20))
      } else {
        watcher = try Connection(address: world.environment["DBUS_SESSION_BUS_ADDRESS"])
      }
      _ = try watcher.callAndWait(Contract.watchReading())
      world.daemon.signal(SIGSTOP)
      try await Self.putMany(into: world)
      world.daemon.signal(SIGCONT)
      let start = ContinuousClock.now
      var told: [[UInt64]] = []
      _ = try watcher.callAndWait(Contract.reload(), milliseconds: 60_000) { _, _ in
      } hearing: { signal in
        if signal.member == Contract.readingProgress.text {
          told.append(signal.arguments().compactMap(\.asUInt64))
        }
      }
      let tenths = (ContinuousClock.now - start) / .milliseconds(100)
      #expect(told.last == [UInt64(Self.many), UInt64(Self.many)])
      #expect(told.count > 1 && Double(told.count) <= tenths + 3)
      try await world.client.ping()
      #expect(world.client.heardSignals(Contract.readingProgress.text) == 0)
    }
  }
}
