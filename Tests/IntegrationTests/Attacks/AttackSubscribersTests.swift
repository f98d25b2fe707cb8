import BusContract
import DBus
import Glibc
import LaunchServicesTesting
import Testing

/// One process took all places for connections that are told of requests or applications, and nobody else got one.
@MainActor @Suite("Attack: connections that are told of events", .timeLimit(.minutes(10)))
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

    /// A quarter of the places.
    var ofCaller: Int { self == .reading ? 4 : 16 }
  }

  @Test("A process has a quarter of the places, and gives them back", arguments: Subject.allCases)
  func share(subject: Subject) async throws {
    try await Testbed.run { world in
      var clients: [TestClient] = []
      for _ in 0..<subject.ofCaller {
        let client = try await world.newClient()
        _ = try await client.call(subject.call)
        clients.append(client)
      }
      // Who is told already is told once.
      _ = try await clients[0].call(subject.call)
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "\(subject.ofCaller) connections of this caller are subscribed already, a quarter of the limit"
            + " of \(4 * subject.ofCaller): close some of these connections (OSStatus error -10810)"
        )
      ) { try await world.client.call(subject.call) }

      try await world.disconnect(clients[0])
      _ = try await world.client.call(subject.call)
    }
  }

  @Test("Another process gets a place") func otherProcess() async throws {
    try await Testbed.run { world in
      var others: [TestClient] = []
      for _ in 0..<16 {
        let client = try await world.newClient()
        _ = try? await client.call(Contract.monitor())
        others.append(client)
      }
      let monitor = try world.startProcess("lsregister", ["monitor"])
      try await world.install("com.example.photos", schemes: ["photos"])
      // It may come to be told after some of them.
      for number in 0..<1000 where monitor.lines.isEmpty {
        _ = try await world.client.open("photos:\(number)")
      }
      #expect(monitor.lines.first?.contains("photos:") == true, "\(monitor.lines)")
      monitor.signal(SIGTERM)
      _ = try await monitor.hasEnded()
    }
  }
}
