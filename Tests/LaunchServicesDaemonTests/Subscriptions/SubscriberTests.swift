import BusContract
import DBus
import DBusMainLoop
import LaunchRules
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Subscribers", .timeLimit(.minutes(30)))
struct SubscriberTests {
  @Test("A caller may subscribe once for a connection, and with an eighth of all connections")
  func limits() async throws {
    let world = try await DaemonWorld()
    for number in 1...16 { try world.subscribe(DaemonWorld.caller(":direct.\(number)")) }
    try world.subscribe(DaemonWorld.caller(":direct.1"))
    #expect(world.refusal { try world.subscribe(DaemonWorld.caller(":direct.17")) })
    world.opening.applications.left(":direct.3")
    try world.subscribe(DaemonWorld.caller(":direct.17"))
    try world.subscribe(DaemonWorld.caller(":direct.18", pid: 8))
    for number in 1...4 { try world.opening.reading.add(DaemonWorld.caller(":direct.\(number)")) }
    #expect(world.refusal { try world.opening.reading.add(DaemonWorld.caller(":direct.5")) })
    world.opening.reading.left(":direct.2")
    try world.opening.reading.add(DaemonWorld.caller(":direct.5"))
  }

  @Test("Callers that wait for the end of a process are answered once, and one that leaves is not")
  func exits() async throws {
    let world = try await DaemonWorld()
    let waiters = ExitSubscribers()
    let photos = InstanceID(InstanceSlot(DaemonWorld.photos), ordinal: 1)
    let answers = EventStream<String>()
    var calls = 0
    func add() async throws {
      calls += 1
      let number = calls
      let call = try await world.sockets.call(Contract.ping()) {
        answers.add(
          "\(number) \((try? $0.get())?.first?.asOptions?[Key.how]?.asString ?? "failed")")
      }
      try waiters.add(call, for: photos)
    }
    try await add()
    waiters.ended(photos, how: "exited with code 3")
    #expect(try await answers.next() == "1 exited with code 3")
    try await add()
    waiters.failAll(FateReporter.shuttingDown)
    #expect(try await answers.next() == "2 failed")
    for _ in 1...ExitSubscribers.mostPerCaller { try await add() }
    let error = await #expect(throws: BusError.self) { try await add() }
    #expect(error.map(Contract.shortName) == "LimitExceeded")
    waiters.forget(SocketPair.name)
    try await add()
  }
}

extension DaemonWorld {
  func subscribe(_ caller: IdentifiedCaller) throws {
    try opening.applications.add(caller, running: coordinator.lifecycles.runningApplications)
  }

  /// The signals that the other end gets from now on.
  func signals() -> EventStream<String> {
    let signals = EventStream<String>()
    sockets.other.onSignal = { signal in
      let arguments = signal.arguments()
      let text =
        if let application = arguments.first?.asOptions {
          [Key.bundleIdentifier, "state"].map { application[$0]?.asString ?? "?" }
            .joined(separator: " ")
        } else {
          arguments.map { $0.asUInt64.map(String.init) ?? "?" }.joined(separator: " of ")
        }
      signals.add("\(signal.member ?? "?") \(text)")
    }
    return signals
  }

  /// Whether `body` is refused for a limit.
  func refusal(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch {
      return (error as? BusError).map(Contract.shortName) == "LimitExceeded"
    }
  }
}
