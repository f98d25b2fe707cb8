import BusContract
import DBus
import DBusMainLoop
import LaunchRules
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Subscribers", .timeLimit(.minutes(10)))
struct SubscriberTests {
  @Test("Subscribers are told when an application starts, has launched and has ended")
  func applications() async throws {
    let world = try await DaemonWorld()
    let signals = world.signals()
    try world.subscribe(DaemonWorld.caller())
    try world.open("photos:1")
    let id = try await world.ordered()
    try await expect(signals, "ApplicationWillLaunch com.example.photos launching")
    try await world.checkIn(id)
    world.finish(id)
    try await expect(signals, "ApplicationLaunched com.example.photos inactive")
    world.coordinator.handle(.exited(id, how: "exited with code 0"), of: id)
    try await expect(signals, "ApplicationTerminated com.example.photos inactive")
  }

  @Test("An application that runs already is only told of when it ends") func late() async throws {
    let world = try await DaemonWorld()
    try world.open("photos:1")
    let id = try await world.launch()
    #expect(try await world.answers.next() == "photos:1 delivered cold")
    let signals = world.signals()
    try world.subscribe(DaemonWorld.caller())
    try world.open("photos:2")
    #expect(try await world.answers.next() == "photos:2 delivered warm")
    world.coordinator.handle(.exited(id, how: "exited with code 0"), of: id)
    try await expect(signals, "ApplicationTerminated com.example.photos active")
  }

  @Test("Nobody is told of an application without a place in the Dock, nor after leaving")
  func silent() async throws {
    for hasLeft in [true, false] {
      let world = try await DaemonWorld(keys: hasLeft ? "" : "<key>LSUIElement</key><true/>")
      let signals = world.signals()
      try world.subscribe(DaemonWorld.caller())
      if hasLeft { world.opening.applications.left(SocketPair.name) }
      try world.open("photos:1")
      _ = try await world.launch()
      #expect(try await world.answers.next() == "photos:1 delivered cold")
      // What is sent later arrives later: nothing was sent before this.
      try world.opening.reading.add(DaemonWorld.caller())
      world.opening.reading.tell(1, of: 2)
      #expect(try await signals.next() == "ReadingProgress 1 of 2")
    }
  }

  /// The next signal is this one.
  private func expect(_ signals: EventStream<String>, _ text: String) async throws {
    let signal = try await signals.next()
    #expect(signal == text)
  }

  @Test("A caller may subscribe once for a connection, and with a quarter of all connections")
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
    let waiters = ExitWaiters()
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
    for _ in 1...ExitWaiters.mostPerCaller { try await add() }
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
