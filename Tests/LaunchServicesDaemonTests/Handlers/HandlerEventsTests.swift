import BusContract
import DBus
import DBusMainLoop
import Host
import LaunchRules
import ProcessSupervision
import ScriptedProcesses
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Events of handlers", .timeLimit(.minutes(30)))
struct HandlerEventsTests {
  @Test(
    "A process that answered before it ended has the open; its instance ends with its connection")
  func lastMessages() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1")
    let id = try await world.launch()
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    let deliveries = EventStream<Void>()
    var delivery: PendingCall?
    world.sockets.other.onCall = { call in
      guard call.member == "OpenURLs" else { return call.succeed() }
      delivery = call
      deliveries.add(())
    }
    try world.open("photos:2")
    try await deliveries.next()
    world.backend.report(.ended, of: id)
    world.backend.report(.exited(.exited(code: 3)), of: id)
    #expect(world.coordinator.runs(DaemonWorld.photos))
    delivery?.succeed([.booleans([true])])
    #expect(try await world.answers.next() == "photos:2 delivered warm")
    world.opening.handlerEvents.handle(.ended(id, .exited(code: 3)))
    #expect(!world.coordinator.runs(DaemonWorld.photos))
    #expect(world.handlers.supervisor[id] == nil)
  }

  @Test("An idle process that ends is gone at once, and the next open starts another one")
  func idle() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1")
    let id = try await world.launch()
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    world.backend.report(.ended, of: id)
    world.backend.report(.exited(.exited(code: 0)), of: id)
    #expect(!world.coordinator.runs(DaemonWorld.photos))
    try world.open("photos:2")
    #expect(try await world.ordered() != id)
  }

  @Test("Each way in which a launch fails is told to the opener, with its reason") func launches()
    async throws
  {
    typealias Row = (event: (InstanceID) -> SupervisionEvent, answer: String)
    let rows: [Row] = [
      (
        { .launchFailed($0, .noExecutable("it has no program")) },
        "NoExecutable: it has no program "
      ),
      ({ .launchWithdrawn($0) }, "HandlerExited: "),
      ({ .timedOut($0, seconds: 7) }, "LaunchTimedOut: "),
    ]
    for row in rows {
      let world = try await DaemonWorld()
      try world.open("photos:1")
      let id = try await world.ordered()
      world.opening.handlerEvents.handle(row.event(id))
      let answer = try await world.answers.next()
      #expect(answer.hasPrefix("photos:1 " + row.answer), "\(answer)")
    }
  }

  @Test("A child that checked in for the process continues its instance when the process ends")
  func successor() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1")
    let id = try await world.ordered()
    let first = ScriptedProcess(42)
    world.backend.report(.running(first), of: id)
    world.opening.handlerEvents.handle(try await world.claim(id, by: 43))
    world.finish(id)
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    world.backend.report(.ended, of: id)
    #expect(world.handlers.supervisor[id]?.pid == 43)
    #expect(first.successors.map(\.pid) == [43])
    try world.open("photos:2")
    #expect(try await world.answers.next() == "photos:2 delivered warm")
  }

  @Test("A refused check-in has its answer, and leaves no process behind") func refused()
    async throws
  {
    let world = try await DaemonWorld()
    let none = try #require(BundleIdentifier("com.example.none"))
    let answers = EventStream<String>()
    let call = try await world.sockets.call(Contract.checkIn(CheckInOptions())) {
      if case .failure(let error) = $0 { answers.add(Contract.shortName(of: error)) }
    }
    world.opening.handlerEvents.handle(
      CheckInService.CheckIn(
        claim: .init(claimed: none, ownsClaimedName: true), options: CheckInOptions(),
        facts: DaemonWorld.facts(42), call: call))
    #expect(try await answers.next() == "NotRegistered")
    #expect(world.handlers.supervisor.instance(running: 42) == nil)
  }
}

extension DaemonWorld {
  /// A check-in with the token of the instance.
  func claim(_ id: InstanceID, by pid: Int32) async throws -> CheckInService.CheckIn {
    CheckInService.CheckIn(
      claim: .init(tokenOf: id, showedToken: true), options: CheckInOptions(),
      facts: Self.facts(pid), call: try await sockets.call(Contract.checkIn(CheckInOptions())))
  }
}
