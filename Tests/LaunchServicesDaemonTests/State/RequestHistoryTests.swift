import BusContract
import DBus
import DBusMainLoop
import LaunchRules
import Records
import ScriptedProcesses
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("The record of requests", .timeLimit(.minutes(10)))
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
    let entries = await world.requests.requests.recent(
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
    for number in 2...4 { try history.addSubscriber(DaemonWorld.caller(":direct.\(number)")) }
    let error = #expect(throws: BusError.self) {
      try history.addSubscriber(DaemonWorld.caller(":direct.5"))
    }
    #expect(error.map(Contract.shortName) == "LimitExceeded")
    try history.addSubscriber(DaemonWorld.caller(":direct.5", pid: 8))
    history.left(":direct.4")
    try history.addSubscriber(DaemonWorld.caller(":direct.6"))
    try world.open("photos:1")
    _ = try await world.launch()
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    #expect(try await signals.next() == "RequestEnded")
  }
}
