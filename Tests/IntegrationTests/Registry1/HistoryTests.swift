import BusContract
import DBus
import Foundation
import LaunchServicesTesting
import Testing

@MainActor @Suite("What became of requests", .timeLimit(.minutes(30)))
struct HistoryTests {
  private func entries(
    _ client: TestClient, _ change: (inout HistoryOptions) -> Void = { _ in }
  ) async throws -> [Options] {
    var options = HistoryOptions()
    change(&options)
    return try await client.call(Contract.history(options)).first?.asOptionsList ?? []
  }

  private func run(_ command: String, _ arguments: [String], in world: Testbed) async throws
    -> [String]
  {
    let process = try world.startProcess(command, arguments)
    #expect(try await process.hasEnded() == "exited with code 0")
    return process.lines
  }

  @Test("is remembered, newest first, without query and fragment, also by the next daemon")
  func remembered() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await world.client.open("photos:1?code=secret#token")
      _ = try? await world.client.open("nobody:1?code=secret")
      _ = try await world.client.open("photos:2", requestID: "mine")
      func check() async throws {
        let entries = try await entries(world.client)
        #expect(
          entries.map { $0["url"] } == [
            .string("photos:2"), .string("nobody:1"), .string("photos:1"),
          ])
        #expect(
          entries.map { $0["fate"] } == [
            .string("delivered"), .string("ApplicationNotFound"), .string("delivered"),
          ])
        #expect(entries.map { $0["launch"] } == [.string("warm"), nil, .string("cold")])
        #expect(
          entries.map { $0["handler"] } == [
            .string("com.example.photos"), nil, .string("com.example.photos"),
          ])
      }
      try await check()
      try await world.restartDaemon()
      try await check()
    }
  }

  @Test("an open that failed is remembered with its reason") func failed() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"], .launching(.exit(3)))
      _ = try? await world.client.open("photos:1")
      let entry = try #require(try await entries(world.client).first)
      #expect(entry["fate"] == .string("HandlerExited"))
      #expect(
        entry["detail"]?.asString.map(Refusal.withoutUnit)
          == "com.example.photos ended while launching: exited with code 3 (OSStatus error -600)")
    }
  }

  @Test("an application sees its own requests only, and cannot monitor") func application()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      _ = try await mail.open("photos:own")
      _ = try await world.client.open("photos:other")
      #expect(try await mail.history() == ["photos:own"])
      #expect(try await entries(world.client) { $0.limit = 2 }.count == 2)
      #expect(
        try await entries(world.client) { $0.application = "com.example.mail" }.map { $0["url"] }
          == [.string("mail:1")])
    }
  }

  @Test("lsopen --history prints one line for each, or JSON") func command() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      _ = try await run("lsopen", ["photos:1"], in: world)
      _ = try await run("lsopen", ["photos:2"], in: world)
      let lines = try await run("lsopen", ["--history"], in: world)
      #expect(lines.count == 2)
      #expect(lines[0].contains("photos:2") && lines[0].contains("com.example.photos"))
      #expect(lines[0].contains("  warm  delivered  ") && lines[0].hasSuffix(" ms"))
      #expect(lines[1].contains("photos:1") && lines[1].contains("  cold  delivered  "))
      let json = try await run("lsopen", ["--history", "1", "--json"], in: world).joined()
      let list = try #require(
        try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
      #expect(list.first?["url"] as? String == "photos:2")
    }
  }

  @Test("lsregister monitor prints each as it ends, also of the next daemon") func monitor()
    async throws
  {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let monitor = try world.startProcess("lsregister", ["monitor"])
      // It monitors when the daemon has taken its call; nothing else tells.
      var number = 0
      while monitor.lines.isEmpty {
        number += 1
        _ = try await world.client.open("photos:\(number)")
      }
      #expect(try #require(monitor.lines.first).contains("com.example.photos"))
      try await world.killDaemon()
      try await monitor.line(
        containing: "launchservicesd has ended; waiting for the next"
          + " launchservicesd")
      try await world.startDaemon()
      let before = monitor.lines.count
      while monitor.lines.count == before { _ = try await world.client.open("photos:again") }
      try await monitor.line(containing: "photos:again")
      monitor.signal(SIGINT)
      _ = try await monitor.hasEnded()
    }
  }

  @Test("An iOS application is not told who would handle a scheme that it did not declare")
  func explanation() async throws {
    try await Testbed.run { world in
      try await world.install("com.example.photos", schemes: ["photos"])
      let mail = try await world.install(
        "com.example.mail", schemes: ["mail"], queries: ["notes"])
      _ = try await world.client.open("mail:1")
      let there = try await mail.explain("photos:1")
      let missing = try await mail.explain("nothing:1")
      #expect(there.steps.map(\.step) == ["url", "caller", "allowlist", "canOpen"])
      #expect(there.steps.dropFirst() == missing.steps.dropFirst())
      #expect(there.handler == "" && !there.wouldOpen && !there.canOpen)
    }
  }

  @Test("An iOS application linked before iOS 9 cannot ask without being counted")
  func legacyExplanation() async throws {
    try await Testbed.run { world in
      let mail = try await world.install("com.example.mail", schemes: ["mail"]) {
        $0.sdk = "iphoneos8.4"
      }
      _ = try await world.client.open("mail:1")
      await #expect(throws: Refusal.self) { try await mail.explain("photos:1") }
    }
  }

  @Test("An iOS application learns nothing from the registry, and changes nothing in it")
  func registry() async throws {
    try await Testbed.run { world in
      let mail = try await world.install("com.example.mail", schemes: ["mail"])
      _ = try await world.client.open("mail:1")
      await #expect(
        throws: Refusal(
          "NotPermitted",
          "com.example.mail is an iOS application, and only the user's own tools may use the registry"
        )
      ) { try await mail.applications() }
    }
  }
}
