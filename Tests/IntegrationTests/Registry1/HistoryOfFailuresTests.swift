import BusContract
import DBus
import Glibc
import LaunchServicesTesting
import Testing

@MainActor @Suite("What became of requests that failed", .timeLimit(.minutes(30)))
struct HistoryOfFailuresTests {
  private static let photos = "com.example.photos"

  /// URL and fate of each, newest first.
  private func fates(_ client: TestClient) async throws -> [[String]] {
    try await client.call(Contract.history(HistoryOptions())).first?.asOptionsList?.map {
      [$0["url"]?.asString ?? "", $0["fate"]?.asString ?? ""]
    } ?? []
  }

  @Test("One that was refused before a handler was chosen is remembered, without its secrets")
  func refused() async throws {
    try await Testbed.run { world in
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      _ = try? await world.client.open("nobody:1?code=secret")
      _ = try? await world.client.open("mail:<1>?code=secret")
      _ = try? await mail.open("mail:2", as: Self.photos)
      _ = try? await world.client.open(String(repeating: "x", count: 2_000_000))
      _ = try? await world.client.performQuickAction("compose", of: Self.photos)

      let entries =
        try await world.client.call(Contract.history(HistoryOptions())).first?.asOptionsList ?? []
      #expect(
        entries.map { $0["fate"]?.asString } == [
          "ApplicationNotFound", "NotPermitted", "InvalidURL", "ApplicationNotFound", "delivered",
        ])
      #expect(
        entries.map { $0["url"]?.asString } == [
          "\(Self.photos) compose", "mail:2", "mail:<1>", "nobody:1", "mail:1",
        ])
      #expect(entries[1]["caller"] == .string("com.example.mail"))
      #expect(entries.dropLast().allSatisfy { $0["handler"] == nil })
      #expect(!entries.contains { "\($0)".contains("secret") })
      #expect(try await mail.history() == ["mail:2"])
    }
  }

  @Test("Those who monitor are told of a refusal, and lsopen --history prints it")
  func monitored() async throws {
    try await Testbed.run { world in
      let monitor = try world.startProcess("lsregister", ["monitor"])
      // It monitors when the daemon has taken its call; nothing else tells.
      while monitor.lines.isEmpty { _ = try? await world.client.open("nobody:1") }
      let line = try #require(monitor.lines.first)
      #expect(line.contains("nobody:1  -  -  ApplicationNotFound  -"))
      monitor.signal(SIGINT)
      _ = try await monitor.hasEnded()
      let history = try world.startProcess("lsopen", ["--history", "1"])
      _ = try await history.hasEnded()
      #expect(history.lines.first?.contains("nobody:1  -  -  ApplicationNotFound  -") == true)
    }
  }

  @Test("R5.9 lsopen and its history say when the handler did not handle the URL")
  func notHandled() async throws {
    try await Testbed.run { world in
      try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.answer(false)]))
      let lsopen = try world.startProcess("lsopen", ["photos:1"])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      try await lsopen.line(containing: "reported it as not handled")
      let history = try world.startProcess("lsopen", ["--history"])
      #expect(
        try await history.line(containing: "photos:1").contains("  cold  not handled  "))
    }
  }

  @Test("A refusal is not remembered under its request-id: asked again, it may succeed")
  func repeated() async throws {
    try await Testbed.run { world in
      _ = try? await world.client.open("photos:1", requestID: "mine")
      try await world.install(Self.photos, schemes: ["photos"])
      #expect(try await world.client.open("photos:1", requestID: "mine").outcome == .deliveredCold)
      #expect(
        try await fates(world.client) == [
          ["photos:1", "delivered"], ["photos:1", "ApplicationNotFound"],
        ])
    }
  }

  @Test("At SIGTERM an open without a name is told whether it had been handed over")
  func stopped() async throws {
    try await Testbed.run { world in
      let photos = try await world.install(
        Self.photos, schemes: ["photos"], .delegate(deliveries: [.wait, .answer(true)]))
      let first = world.client.opening("photos:1")
      try await photos.isWaiting()
      let second = world.client.opening("photos:2")
      _ = try await world.client.call(Contract.ping())

      try await world.stopDaemon()

      let pid = photos.pids[0]
      await #expect(
        throws: Refusal(
          "DeliveryUnknown",
          "the daemon ended during the delivery to \(Self.photos) (process \(pid)); the result is"
            + " unknown (OSStatus error -10810)")
      ) { try await first.receipt() }
      await #expect(
        throws: Refusal(
          "ShuttingDown", "the launch services daemon is shutting down (OSStatus error -10822)")
      ) { try await second.receipt() }
      try await photos.go()
      try await world.startDaemon()
      #expect(
        try await fates(world.client) == [
          ["photos:2", "ShuttingDown"], ["photos:1", "DeliveryUnknown"],
        ])
    }
  }

  @Test(
    "One that was cut off and is not asked for again is called that; asked for, it has its fate")
  func cutOff() async throws {
    try await Testbed.run { world in
      var script = HandlerScript.delegate(deliveries: [.wait, .answer(true)])
      script.comesBack = .remembering
      let photos = try await world.install(Self.photos, schemes: ["photos"], script)
      var options = OpenOptions()
      options.requestID = "mine"
      _ = world.client.opening("photos:1", options)
      try await photos.isWaiting()
      #expect(try await fates(world.client) == [["photos:1", "delivering"]])

      try await world.stopDaemon()
      try await world.startDaemon()

      #expect(try await fates(world.client) == [["photos:1", "cut-off"]])
      try await photos.go()
      #expect(try await world.client.open("photos:1", requestID: "mine").outcome == .deliveredWarm)
      #expect(try await fates(world.client) == [["photos:1", "delivered"]])
    }
  }
}
