import BusContract
import DBus
import DBusMainLoop
import Foundation
import Glibc
import Host
import LaunchServicesTesting
import Testing

/// Another process of the user listens where the daemon is looked for.
@MainActor @Suite("Attack: a swapped socket", .timeLimit(.minutes(30)))
struct AttackOnSocketTests {
  /// A process that says yes to everything, at the socket of the daemon in a runtime folder of its own: nobody takes
  /// the socket away from it.
  @MainActor private final class Impostor {
    let environment: [String: String]
    private(set) var heard: [String] = []
    private var listener: Listener?
    private var sessions: [BusSession] = []
    var connections: Int { sessions.count }

    convenience init(_ world: Testbed) throws {
      let folder = world.folder + "/swapped"
      try FileManager.default.createDirectory(
        atPath: folder + "/launch-services", withIntermediateDirectories: true)
      try self.init(world, ["XDG_RUNTIME_DIR": folder])
    }

    /// At the socket that is looked for with these variables; what is there is replaced.
    init(_ world: Testbed, _ environment: [String: String]) throws {
      self.environment = environment
      let variables = world.environment.merging(environment) { $1 }
      let path = try #require(DirectSocket.path { variables[$0] })
      listener = try Listener(path: path) {
        ":impostor.1"
      } accept: { [weak self] connection, _ in
        let session = BusSession(connection)
        session.onCall = { call in
          self?.heard.append(call.member)
          call.succeed(call.member == "CanOpenURL" ? [.boolean(true)] : [.options([:])])
        }
        self?.sessions.append(session)
        session.start()
      }
    }
  }

  private static func run(_ body: (Testbed, ScriptedHandler, Impostor) async throws -> Void)
    async throws
  {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: [])
      try await body(world, photos, try Impostor(world))
    }
  }

  @Test("does not answer what lsopen asks") func question() async throws {
    try await Self.run { world, _, impostor in
      let lsopen = try world.startProcess(
        "lsopen", ["--as", "com.example.caller", "--can-open", "photos:1"],
        environment: impostor.environment)
      #expect(try await lsopen.hasEnded() == "exited with code 1")
      #expect(lsopen.lines.first == "no")
      #expect(impostor.heard == [])
    }
  }

  @Test("gets no URL of lsopen, which goes to its application") func open() async throws {
    try await Self.run { world, photos, impostor in
      let lsopen = try world.startProcess(
        "lsopen", ["photos:secret"], environment: impostor.environment)
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      #expect(photos.heard().contains(.opened("photos:secret")))
      #expect(impostor.heard == [])
    }
  }

  @Test("is believed by nobody while no daemon owns the name") func unowned() async throws {
    try await Self.run { world, _, impostor in
      try await world.stopDaemon()
      let lsopen = try world.startProcess(
        "lsopen", ["--can-open", "photos:1"], environment: impostor.environment)
      #expect(try await lsopen.hasEnded() == "exited with code 3")
      #expect(impostor.heard == [])
      try await world.startDaemon()
    }
  }

  /// What the session has, while no daemon runs.
  enum Bus: CaseIterable {
    case withoutService, withFailingService
  }

  @Test(
    "gets nothing while no daemon runs, also when it has the lock of the state folder: it does not run launchservicesd",
    arguments: Bus.allCases)
  func locked(bus: Bus) async throws {
    try await Testbed.run(startsDaemon: false) { world in
      if bus == .withFailingService {
        try await world.addBusService(Contract.busName.text, "/bin/false")
      }
      let state = try #require(world.environment["XDG_STATE_HOME"]) + "/launch-services"
      let lock = try #require(try FolderLock.take(state))
      let runtime = try #require(world.environment["XDG_RUNTIME_DIR"])
      try FileManager.default.createDirectory(
        atPath: runtime + "/launch-services", withIntermediateDirectories: true)
      let impostor = try Impostor(world, [:])
      let directOnly = try Impostor(world, ["DBUS_SESSION_BUS_ADDRESS": ""])
      let lsopen = try world.startProcess("lsopen", ["victim:secret"])
      #expect(try await lsopen.hasEnded() == "exited with code 3")
      let said = lsopen.lines.joined(separator: "\n")
      switch bus {
      case .withoutService:
        #expect(said.contains("process \(getpid()) "), "\(said)")
        #expect(said.contains("is not launchservicesd"), "\(said)")
      case .withFailingService: #expect(said.contains("the bus cannot start it"), "\(said)")
      }
      #expect(impostor.heard == [])
      #expect(directOnly.heard == [])
      withExtendedLifetime(lock) {}
    }
  }

  @Test("does not stay: the daemon takes its place back, again and again") func takenBack()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      try await world.install("com.example.caller", queries: ["photos"])
      _ = try await world.newDirectClient()
      // They listen for as long as this test takes.
      var impostors: [Impostor] = []
      for _ in 1...4 {
        impostors.append(try Impostor(world, [:]))
        try await world.daemon.line(
          containing: "the socket for direct connections was removed and has been created again")
        let environment = world.environment
        let connection = try #require(DirectSocket { environment[$0] }?.connection())
        let query = QueryOptions(actAs: "com.example.caller")
        let answer = try connection.callAndWait(Contract.canOpenURL("photos:1", query))
        #expect(answer.first == .boolean(true))
      }
      #expect(impostors.flatMap(\.heard) == [])
    }
  }

  @Test("is not believed while the bus stands still either: lsopen waits for the bus")
  func silentBus() async throws {
    try await Self.run { world, _, impostor in
      let bus = world.busProcess
      bus.signal(SIGSTOP)
      let lsopen = try world.startProcess(
        "lsopen", ["--as", "com.example.caller", "--can-open", "photos:1"],
        environment: impostor.environment)
      // It has connected, and waits for what the bus says.
      try await waitUntil("a connection to the impostor") { impostor.connections > 0 }
      bus.signal(SIGCONT)
      #expect(try await lsopen.hasEnded() == "exited with code 1")
      #expect(impostor.heard == [])
    }
  }
}
