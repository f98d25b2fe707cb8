import BusContract
import LaunchServicesTesting
import Testing

@MainActor @Suite("The daemon is killed again and again", .timeLimit(.minutes(30)))
struct ManyKillsTests {
  private static let clients = 8
  private static let opensOfEach = 1250
  private static let kills = 20

  @Test("10,000 warm opens of 8 clients, 20 kills: each arrives once, and what is reported is true")
  func manyOpens() async throws {
    try await Testbed.run { world in
      var script = HandlerScript.delegate()
      script.comesBack = .remembering
      let photos = try await world.install("com.example.photos", schemes: ["photos"], script)
      _ = try await world.client.open("photos:first")
      _ = photos.heard()
      var clients: [TestClient] = []
      for _ in 0..<Self.clients { clients.append(try await world.newClient()) }

      let (progress, report) = AsyncStream.makeStream(of: Void.self)
      var receipts: [LaunchServicesTesting.Receipt] = []
      let workers = clients.indices.map { number in
        Task {
          for open in 0..<Self.opensOfEach {
            do {
              receipts.append(try await deliver("\(number)-\(open)", clients[number]))
            } catch {
              report.finish()
              throw error
            }
            report.yield()
          }
        }
      }
      let between = Self.clients * Self.opensOfEach / (Self.kills + 1)
      var kills = 0
      var done = 0
      for await _ in progress {
        done += 1
        if done % between == 0, kills < Self.kills {
          kills += 1
          try await world.killDaemon()
          try await world.startDaemon()
        }
        if done == Self.clients * Self.opensOfEach { break }
      }
      for worker in workers { try await worker.value }

      #expect(kills == Self.kills)
      #expect(photos.pids.count == 1)
      var arrived: [String] = []
      for event in photos.heard() {
        switch event {
        case .opened(let urls): arrived += urls.map(\.url)
        case .cameBack: break
        default: Issue.record("it also heard \(event)")
        }
      }
      #expect(arrived.count == Self.clients * Self.opensOfEach)
      #expect(Set(arrived).count == arrived.count, "a URL arrived twice")
      #expect(receipts.allSatisfy { $0.outcome == .deliveredWarm })
      // The opens of one client are one after the other, so they arrive in that order.
      for number in clients.indices {
        let own = arrived.filter { $0.hasPrefix("photos:\(number)-") }
        #expect(own == (0..<Self.opensOfEach).map { "photos:\(number)-\($0)" })
      }
    }
  }

  /// As a client does: asks again under the same name when it was cut off and another daemon is there.
  private func deliver(_ name: String, _ client: TestClient) async throws
    -> LaunchServicesTesting.Receipt
  {
    while true {
      do throws(Refusal) {
        return try await client.open("photos:\(name)", requestID: name)
      } catch {
        let cutOff = [
          "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.ServiceUnknown",
        ]
        guard cutOff.contains(error.name) else { throw error }
        try await client.nextDaemon()
      }
    }
  }
}
