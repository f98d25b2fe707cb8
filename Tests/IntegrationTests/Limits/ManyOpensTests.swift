import LaunchServicesTesting
import Testing

@Suite("Very many opens", .timeLimit(.minutes(30)))
struct ManyOpensTests {
  @Test("50 applications, 10 clients, 1,000 opens at once: 50 launches, each URL once, in order")
  func storm() async throws {
    try await Testbed.run { world in
      var handlers: [ScriptedHandler] = []
      for number in 0..<50 {
        var application = TestApplication("com.example.app\(number)")
        application.schemes = ["app\(number)"]
        handlers.append(try world.put(application))
      }
      try await world.client.reload()
      var clients: [TestClient] = []
      for _ in 0..<10 { clients.append(try await world.newClient()) }

      var opens: [[(url: String, open: Opening)]] = handlers.map { _ in [] }
      for round in 0..<2 {
        for (name, client) in clients.enumerated() {
          for number in handlers.indices {
            let url = "app\(number):\(name)-\(round)"
            opens[number].append((url, client.opening(url)))
          }
        }
      }

      for (handler, opens) in zip(handlers, opens) {
        var accepted: [(request: UInt64, url: String)] = []
        for (url, open) in opens {
          let receipt = try await open.receipt()
          #expect(receipt.handler == handler.identifier)
          #expect(receipt.outcome.delivery == .delivered)
          accepted.append((receipt.request, url))
        }
        let inOrder = accepted.sorted { $0.request < $1.request }.map(\.url)
        let events = handler.heard()
        #expect(handler.pids.count == 1)
        #expect(
          events == [
            .started, .checkedIn(.launchOptions(OpenedURL(inOrder[0]))), .finishing,
          ] + inOrder.map { .opened($0) })
        #expect(inOrder.count == 20)
        for client in clients.indices {
          #expect(inOrder.filter { $0.contains(":\(client)-") }.map(\.last) == ["0", "1"])
        }
      }
    }
  }

  @Test("More opens of one caller than may wait are refused, another's arrives, and so do the rest")
  func queueLimit() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        "com.example.photos", schemes: ["photos"],
        .launching(.wait, .checkIn(), .finishLaunching()))
      let opens = (0..<751).map { world.client.opening("photos:\($0)") }
      await #expect(
        throws: Refusal(
          "LimitExceeded",
          "750 opens of this caller wait for com.example.photos already, three quarters of the limit"
            + " MaximumQueueLength of the settings: try again when some of them have ended (OSStatus error -10810)"
        )
      ) { try await opens[750].receipt() }
      let other = try world.startProcess("lsopen", ["photos:other"])
      try await photos.go()
      for open in opens.dropLast() {
        #expect(try await open.receipt().outcome.delivery == .delivered)
      }
      #expect(try await other.hasEnded() == "exited with code 0")
      #expect(photos.heard().count == 3 + 751)
    }
  }
}
