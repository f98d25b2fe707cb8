import BusContract
import DBus
import DBusMainLoop
import DaemonSettings
import ProcessSupervision
import Records
import ScriptedProcesses
import Testing

@testable import LaunchRules
@testable import LaunchServicesDaemon

@MainActor @Suite("Opens and the lifecycles of handlers", .timeLimit(.minutes(30)))
struct OpenCoordinatorTests {
  @Test("A cold open starts one process, and is delivered in order after FinishLaunching")
  func cold() async throws {
    let world = try await DaemonWorld()
    for number in 1...3 { try world.open("photos:\(number)") }
    let id = try await world.ordered()
    try await world.checkIn(id)
    #expect(world.coordinator.state(of: id)?.isRunning == false)
    world.finish(id)
    for number in 1...3 {
      #expect(try await world.heard.next() == "photos:\(number)")
      #expect(
        try await world.answers.next()
          == "photos:\(number) delivered \(number == 1 ? "cold" : "warm")")
    }
    try world.open("photos:4")
    #expect(try await world.answers.next() == "photos:4 delivered warm")
    #expect(world.backend.orders.count == 1)
  }

  @Test("A process that cannot be started fails all opens that wait, with the reason")
  func failure() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1")
    try world.open("photos:2", name: "two")
    let id = try await world.ordered()
    world.backend.report(.failed(.noExecutable("the program is missing")), of: id)
    let answers = Set([try await world.answers.next(), try await world.answers.next()])
    #expect(
      answers
        == Set(
          ["photos:1", "photos:2"].map {
            "\($0) NoExecutable: the program is missing (OSStatus error -10827)"
          }))
    #expect(!world.coordinator.runs(DaemonWorld.photos))
    #expect(world.requests.opens.find(RequestName("two")) == nil)
  }

  @Test("A scene launch whose delivery cannot be recorded fails, and the URL is not handed over")
  func unrecordedScene() async throws {
    let world = try await DaemonWorld(keys: "<key>UIApplicationSceneManifest</key><dict/>")
    world.handlers.deliveries.recordDelivery = { open, _, then in
      open.acceptanceRecorded(true)
      then(false)
    }
    try world.open("photos:1", name: "one")
    let id = try await world.ordered()
    try await world.checkIn(id) { $0.takesConnectionOptions = true }
    #expect(try await world.checkInAnswers.next().contains(Key.connectionOptions) == false)
    #expect(
      try await world.answers.next()
        == "photos:1 HandlerRefused: the delivery to com.example.photos failed: the delivery could not be"
        + " recorded (OSStatus error -10810)")
    world.finish(id)
    #expect(world.coordinator.runs(DaemonWorld.photos))
  }

  @Test("An open that is cancelled before its delivery is not delivered; the others are")
  func cancelled() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1")
    let second = try world.open("photos:2")
    try world.open("photos:3")
    let id = try await world.ordered()
    try await world.checkIn(id)
    world.coordinator.cancel(second)
    #expect(try await world.answers.next().hasPrefix("photos:2 Cancelled: "))
    world.finish(id)
    #expect(try await world.heard.next() == "photos:1")
    #expect(try await world.heard.next() == "photos:3")
  }

  @Test("The only open is cancelled: its process starts all the same, and gets the next one")
  func cancelledAlone() async throws {
    let world = try await DaemonWorld()
    let open = try world.open("photos:1")
    let id = try await world.ordered()
    world.coordinator.cancel(open)
    #expect(try await world.answers.next().hasPrefix("photos:1 Cancelled: "))
    try await world.checkIn(id)
    world.finish(id)
    try world.open("photos:2")
    #expect(try await world.heard.next() == "photos:2")
    #expect(world.backend.orders.count == 1)
  }

  @Test("When the daemon ends, it is unknown what became of an open that was handed over")
  func shutdown() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:0")
    _ = try await world.launch()
    #expect(try await world.answers.next() == "photos:0 delivered cold")
    // The application does not answer this one.
    var kept: [PendingCall] = []
    world.sockets.other.onCall = { kept.append($0) }
    try world.open("photos:1")
    world.coordinator.stop()
    world.requests.fates.cutOffAll()
    let first = try await world.answers.next()
    #expect(first.hasPrefix("photos:1 DeliveryUnknown: "))
    #expect(first.contains("process 42"))
    let entries = await world.requests.store.recent(
      limit: 10, handler: nil, caller: nil, since: 0)
    #expect(entries.map(\.subject) == ["photos:1", "photos:0"])
    #expect(entries.allSatisfy { $0.progress == .settled })
  }

  @Test("A named open stays in the record when the daemon ends, for the next daemon")
  func shutdownOfNamed() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1", name: "one")
    try world.open("photos:2")
    _ = try await world.ordered()
    world.coordinator.stop()
    world.requests.fates.cutOffAll()
    for url in ["photos:1", "photos:2"] {
      #expect(
        try await world.answers.next()
          == "\(url) ShuttingDown: the launch services daemon is shutting down"
          + " (OSStatus error -10822)")
    }
    let entries = await world.requests.store.recent(
      limit: 10, handler: nil, caller: nil, since: 0)
    #expect(
      entries.map { "\($0.subject) \($0.progress)" } == ["photos:2 settled", "photos:1 accepted"])
  }

  @Test("A caller has a limited number of processes started besides others")
  func newInstances() async throws {
    let world = try await DaemonWorld { $0.launch.maximumInstances = 1 }
    try world.open("photos:1", of: .unit("one")) { $0.newInstance = true }
    let id = try await world.launch()
    for caller in ["one", "two"] {
      #expect(throws: OpenFailure.self) {
        try world.open("photos:2", of: .unit(caller)) { $0.newInstance = true }
      }
    }
    world.coordinator.handle(.exited(id, how: "exited with code 0"), of: id)
    try world.open("photos:3", of: .unit("one")) { $0.newInstance = true }
    _ = try await world.launch()
  }
}
