import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

/// Openers that lose the connection, or give up, learn the truth.
@MainActor @Suite("Fates of remote opens", .timeLimit(.minutes(30)))
struct RemoteFateTests {
  private func fate(
    _ client: TestClient, _ id: String, cancel: Bool = false
  ) async throws -> Options {
    try await client.call(Contract.requestFate(id, isCancelled: cancel)).first?.asOptions ?? [:]
  }

  private func options(_ id: String, isRepeated: Bool = false) -> OpenOptions {
    var options = OpenOptions()
    options.requestID = id
    options.isRepeated = isRepeated
    return options
  }

  private func refusal(
    _ body: () async throws -> LaunchServicesTesting.Receipt
  ) async throws -> String? {
    do {
      _ = try await body()
      return nil
    } catch let refusal as Refusal {
      return refusal.name
    }
  }

  private let cancelled = "org.launchservices.Error.Cancelled"

  @Test("a request that was never seen is refused when it arrives, also by the next daemon")
  func tombstone() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let socket = try await world.addRemote("laptop", allowing: ["photos"])
      var remote = try world.remoteClient(socket)
      #expect(try await fate(remote, "a") == ["state": .string("refused")])
      #expect(
        try await refusal { try await remote.open("photos:1", options("a")) } == cancelled)
      try await world.killDaemon()
      try await world.startDaemon()
      remote = try world.remoteClient(socket)
      for isRepeated in [true, false] {
        #expect(
          try await refusal {
            try await remote.open("photos:1", options("a", isRepeated: isRepeated))
          } == cancelled)
      }
      #expect(try await fate(remote, "a") == ["state": .string("refused")])
      #expect(photos.heard().isEmpty)
    }
  }

  @Test("a settled request has its receipt as its fate, or its error") func settled() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let socket = try await world.addRemote("laptop", allowing: ["photos"])
      let remote = try world.remoteClient(socket)
      let receipt = try await remote.open("photos:1", options("a"))
      let answer = try await fate(remote, "a")
      #expect(answer["state"] == .string("settled"))
      #expect(
        answer["receipt"]?.asOptions == [
          "request": .uint64(receipt.request), "delivery": .string("delivered"),
          "handled": .boolean(true), "repeated": .boolean(true),
        ])
    }
  }

  @Test("the identifiers of remotes are their own: one learns and blocks nothing of another")
  func namespace() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let one = try world.remoteClient(try await world.addRemote("one", allowing: ["photos"]))
      let two = try world.remoteClient(try await world.addRemote("two", allowing: ["photos"]))
      let id = "0123456789abcdef0123456789abcdef"
      _ = try await one.open("photos:1", options(id))
      #expect(try await fate(two, id) == ["state": .string("refused")])
      #expect(try await fate(one, id)["state"] == .string("settled"))
      // Nor does a remote block a request of the user.
      #expect(try await world.client.open("photos:2", options(id)).outcome == .deliveredWarm)
      #expect(try await refusal { try await two.open("photos:3", options(id)) } == cancelled)
      try await photos.next(.opened("photos:2"))
    }
  }

  @Test(
    "a remote that is made again under its name learns nothing of the requests of the one before")
  func removed() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let old = try world.remoteClient(try await world.addRemote("laptop", allowing: ["photos"]))
      _ = try await old.open("photos:1", options("a"))
      try await photos.next(.opened("photos:1"))
      let command = try world.startProcess("lsregister", ["remote", "remove", "laptop"])
      #expect(try await command.hasEnded() == "exited with code 0")
      let socket = try await world.addRemote("laptop", allowing: ["photos"])
      var new = try world.remoteClient(socket)
      #expect(try await fate(new, "a") == ["state": .string("refused")])
      _ = try await new.open("photos:2", options("b"))
      try await photos.next(.opened("photos:2"))
      // The identifiers of a remote are the same after a restart.
      try await world.restartDaemon()
      new = try world.remoteClient(socket)
      #expect(try await fate(new, "b")["state"] == .string("settled"))
    }
  }

  @Test("a pending open is cancelled by the question, and nothing is delivered") func cancels()
    async throws
  {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let socket = try await world.addRemote("laptop")
      let agent = try await world.confirmationAgent()
      let first = try world.remoteClient(socket)
      let open = first.opening("photos:1", options("a"))
      _ = try await agent.isAsked()
      let second = try world.remoteClient(socket)
      #expect(try await fate(second, "a") == ["state": .string("accepted")])
      let answer = try await fate(second, "a", cancel: true)
      #expect(answer["state"] == .string("settled"))
      #expect(answer["error"] == .string("Cancelled"))
      try await agent.isWithdrawn()
      #expect(try await refusal { try await open.receipt() } == cancelled)
      #expect(photos.heard().isEmpty)
    }
  }

  @Test("an open whose time is over is not delivered when the user says yes later") func validFor()
    async throws
  {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let agent = try await world.confirmationAgent()
      let remote = try world.remoteClient(try await world.addRemote("laptop"))
      var options = options("a")
      options.validFor = 1
      #expect(try await refusal { try await remote.open("photos:1", options) } == cancelled)
      _ = try await agent.isAsked()
      try await agent.isWithdrawn()
      #expect(photos.heard().isEmpty)
    }
  }

  @Test("lsopen gives up after --timeout, withdraws the question, and says that nothing was opened")
  func timeout() async throws {
    try await Testbed.run { world in
      let photos = try await world.install("com.example.photos", schemes: ["photos"])
      let agent = try await world.confirmationAgent()
      let socket = try await world.addRemote("laptop")
      let open = try world.startProcess(
        "lsopen", ["--json", "--timeout", "1", "photos:1"],
        environment: Testbed.elsewhere(socket))
      _ = try await agent.isAsked()
      try await agent.isWithdrawn()
      #expect(try await open.hasEnded() == "exited with code 4")
      let answer = open.lines.lazy.compactMap(Testbed.json).first
      #expect(answer?["error"] as? String == "Cancelled", "\(open.lines)")
      #expect(photos.heard().isEmpty)
    }
  }

  @Test("without a connection after --timeout, lsopen says that the result is unknown, and no more")
  func timeoutWithoutConnection() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let agent = try await world.confirmationAgent()
      let socket = try await world.addRemote("laptop")
      let open = try world.startProcess(
        "lsopen", ["--json", "--timeout", "3", "--request-id", "mine", "photos:1"],
        environment: Testbed.elsewhere(socket))
      _ = try await agent.isAsked()
      try await world.killDaemon()
      #expect(try await open.hasEnded() == "exited with code 4")
      let answer = open.lines.lazy.compactMap(Testbed.json).first
      #expect(answer?["error"] as? String == "DeliveryUnknown", "\(open.lines)")
      let text = try #require(answer?["message"] as? String)
      #expect(text.contains("the result of the open is unknown"), "\(text)")
      #expect(!text.contains("nothing was opened"), "\(text)")
      #expect(text.contains("--request-id mine"), "\(text)")
    }
  }
}
