import BusContract
import DBus
import Glibc
import LaunchServicesTesting
import Testing

/// One process took all places for connections that are told of requests or applications, and nobody else got one.
@MainActor @Suite("Attack: connections that are told of events", .timeLimit(.minutes(30)))
struct AttackSubscribersTests {
  /// What a connection asks to be told of.
  enum Subject: CaseIterable {
    case requests, applications, reading

    var call: Message {
      switch self {
      case .requests: Contract.monitor()
      case .applications: Contract.watchApplications()
      case .reading: Contract.watchReading()
      }
    }

    /// An eighth of the places.
    var ofCaller: Int { self == .reading ? 4 : 16 }
  }

  @Test("A process has its share of the places, and gives them back", arguments: Subject.allCases)
  func share(subject: Subject) async throws {
    try await Testbed.run { world in
      var clients: [TestClient] = []
      var refusal: Refusal?
      while refusal == nil, clients.count <= subject.ofCaller {
        let client = try await world.newClient()
        do throws(Refusal) {
          _ = try await client.call(subject.call)
          clients.append(client)
        } catch {
          refusal = error
        }
      }
      // The deeper this process is below others, the fewer places its group has.
      #expect((4...subject.ofCaller).contains(clients.count))
      #expect(refusal?.name.hasSuffix("LimitExceeded") == true)
      #expect(refusal?.text.contains("subscribed already") == true)
      // Who is told already is told once.
      _ = try await clients[0].call(subject.call)
      await #expect(throws: Refusal.self) { try await world.client.call(subject.call) }

      try await world.disconnect(clients[0])
      _ = try await world.client.call(subject.call)
    }
  }

  @Test("A hundred processes of one parent leave places to other programs") func manyProcesses()
    async throws
  {
    try await Testbed.run { world in
      let attack = try world.startProcess(
        "python3", [Fixture.path("many-subscribers.py"), "processes", "100"])
      let line = try await attack.line(containing: "admitted")
      let admitted = try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
      #expect((4...96).contains(admitted), "\(line)")
      let monitor = try world.startProcess("lsregister", ["monitor"])
      try await world.install("com.example.photos", schemes: ["photos"])
      // It may come to be told after some of them.
      for number in 0..<1000 where monitor.lines.isEmpty {
        _ = try await world.client.open("photos:\(number)")
      }
      #expect(monitor.lines.first?.contains("photos:") == true, "\(monitor.lines)")
      for process in [monitor, attack] {
        process.signal(SIGTERM)
        _ = try await process.hasEnded()
      }
    }
  }

  @Test("Ten thousand connections of one process: others are served")
  func tenThousand() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let attack = try world.startProcess(
        "python3", [Fixture.path("many-subscribers.py"), "connections", "10000"])
      // A busy machine takes longer than a test usually waits.
      try await waitUntil("ten thousand connections", within: .seconds(300)) {
        !attack.lines.isEmpty || !attack.isRunning
      }
      let line = attack.lines.first ?? ""
      #expect(line.hasPrefix("10000 made"), "\(line)")
      let admitted = try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) })
      // Of openings and of applications.
      #expect((8...32).contains(admitted), "\(line)")
      for number in 0..<20 {
        #expect(try await world.client.open("photos:\(number)").outcome.delivery == .delivered)
      }
      #expect(photos.pids.count == 1)
      #expect(try DirectTests.residentMegabytes(world.daemon.pid) < 96)
      attack.signal(SIGTERM)
      _ = try await attack.hasEnded()
      // The places are free again when the bus has said that the connections have gone.
      try await waitUntil("a place") { (try? await world.client.call(Contract.monitor())) != nil }
    }
  }
}
