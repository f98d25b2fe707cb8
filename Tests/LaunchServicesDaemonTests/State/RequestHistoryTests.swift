import BusContract
import DBus
import DBusMainLoop
import DaemonSettings
import LaunchRules
import Records
import ScriptedProcesses
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("The record of requests", .timeLimit(.minutes(30)))
struct RequestHistoryTests {
  @Test("A refused open is recorded without the query of its URL; what exceeds a limit is not")
  func refusals() async throws {
    let world = try await DaemonWorld()
    let history = world.requests.history
    let url = "photos:1?secret=1#secret"
    for failure in [
      OpenFailure.invalidURL("\(url) is not a URL"), .limitExceeded("there are too many"),
    ] {
      #expect(throws: BusError.self) {
        try history.recordingRefusal(of: history.subject(url), DaemonWorld.caller()) {
          () throws(BusError) in throw failure.busError
        }
      }
    }
    let entries = await world.requests.store.recent(
      limit: 10, handler: nil, caller: nil, since: 0)
    #expect(entries.map(\.subject) == ["photos:1"])
    #expect(entries.first?.detail?.contains("secret") == false)
  }

  @Test("Monitors hear of each fate; a caller has a quarter of the places") func monitors()
    async throws
  {
    let world = try await DaemonWorld()
    let history = world.requests.history
    let signals = EventStream<String>()
    world.sockets.other.onSignal = { signals.add("\($0.member ?? "?")") }
    try history.addSubscriber(DaemonWorld.caller())
    for number in 2...16 { try history.addSubscriber(DaemonWorld.caller(":direct.\(number)")) }
    let error = #expect(throws: BusError.self) {
      try history.addSubscriber(DaemonWorld.caller(":direct.17"))
    }
    #expect(error.map(Contract.shortName) == "LimitExceeded")
    try history.addSubscriber(DaemonWorld.caller(":direct.17", pid: 8))
    history.left(":direct.4")
    try history.addSubscriber(DaemonWorld.caller(":direct.18"))
    try world.open("photos:1")
    _ = try await world.launch()
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    #expect(try await signals.next() == "RequestEnded")
  }

  @Test("An open that is refused before a handler was chosen is recorded without a handler")
  func withoutHandler() async throws {
    let world = try await DaemonWorld()
    let row: InterfaceTests.Row = ("OpenURL", [.string("none:1?secret"), .options([:])], "")
    #expect(try await world.answer(row, .success(DaemonWorld.facts(7))) == "ApplicationNotFound")
    let entries = await world.requests.history.entries(
      HistoryOptions(), for: DaemonWorld.caller(), mayKnowHandler: true)
    let entry = try #require(entries.first)
    #expect(entries.count == 1)
    #expect(entry[Key.url] == .string("none:1"))
    #expect(entry[Key.fate] == .string("ApplicationNotFound"))
    #expect(entry[Key.handler] == nil)
    #expect(entry[Key.caller] == .string(DaemonWorld.caller().recordedName))
  }

  @Test("Programs see all requests, applications their own, iOS applications without the handler")
  func entries() async throws {
    let world = try await DaemonWorld()
    let history = world.requests.history
    for (number, caller, handler) in [
      (1, "com.example.photos", "com.example.music"), (2, "/bin/sh", "com.example.photos"),
    ] {
      history.recordUnknown(
        RequestEntry(
          number: UInt64(number), time: RequestClock.now, caller: caller, subject: "url:\(number)",
          handler: handler, pid: 42),
        .deliveryUnknown("the daemon ended"))
    }
    let photos = IdentifiedCaller(
      .application(DaemonWorld.photos, .executable), on: SocketPair.name, DaemonWorld.facts(7))
    func numbers(_ caller: IdentifiedCaller, knowing: Bool = true, of handler: String? = nil)
      async -> [Value?]
    {
      var options = HistoryOptions()
      options.application = handler
      return await history.entries(options, for: caller, mayKnowHandler: knowing).map {
        $0[Key.request]
      }
    }
    #expect(await numbers(DaemonWorld.caller()) == [.uint64(2), .uint64(1)])
    #expect(await numbers(DaemonWorld.caller(), of: "com.example.photos") == [.uint64(2)])
    #expect(await numbers(photos) == [.uint64(1)])
    // Otherwise the filter would tell the handler.
    #expect(await numbers(photos, knowing: false, of: "com.example.none") == [.uint64(1)])
    let own = await history.entries(HistoryOptions(), for: photos, mayKnowHandler: false)
    #expect(
      own.map { $0.keys.sorted() }
        == [[Key.caller, Key.fate, Key.request, Key.time, Key.url].sorted()])
  }

  @Test("The subject of a URL has no password, query or fragment, unless a setting keeps them")
  func subjects() async throws {
    let discreet = try await DaemonWorld()
    let full = try await DaemonWorld { $0.record.keepsFullURLs = true }
    let long = "photos:" + String(repeating: "ä", count: 4000)
    for (url, subject) in [
      ("https://a:secret@b.c/d@e:f", "https://a@b.c/d@e:f"),
      ("https://a:secret@b.c?x", "https://a@b.c"), ("https://a@b.c/", "https://a@b.c/"),
      ("https://[a:secret@b/c", "https://…/c"), ("mailto:a:b@c", "mailto:a:b@c"),
      ("photos:1?secret", "photos:1"), ("photos:1#secret?", "photos:1"), ("photos:1", "photos:1"),
      // 4,096 bytes are in the middle of a letter.
      (long, long.prefix(7 + 2044) + "…"), (long + "?secret", long.prefix(7 + 2044) + "…"),
    ] {
      #expect(discreet.requests.history.subject(url) == subject)
    }
    #expect(full.requests.history.subject("photos:1?a#b") == "photos:1?a#b")
  }

  @Test("After the daemon has stopped, nobody waits for the record of a delivery") func stopped()
    async throws
  {
    let world = try await DaemonWorld()
    let history = world.requests.history
    let recorded = EventStream<String>()
    let named = try #require(world.requests.opens[try world.open("photos:1", name: "one")])
    let unnamed = try #require(world.requests.opens[try world.open("photos:2")])
    history.recordDelivery(of: named, to: (42, 1)) { recorded.add("named \($0)") }
    #expect(try await recorded.next() == "named true")
    history.stop()
    history.recordDelivery(of: named, to: (43, 1)) { recorded.add("named again \($0)") }
    // Each record is written after the ones before it.
    history.recordFate(
      of: named, .success(OpenOutcome(.warm, .delivered, handled: true)), isFinal: true
    ) { recorded.add("fate") }
    #expect(try await recorded.next() == "fate")
    history.recordDelivery(of: unnamed, to: (42, 1)) { recorded.add("unnamed \($0)") }
    #expect(try await recorded.next() == "unnamed true")
  }
}
