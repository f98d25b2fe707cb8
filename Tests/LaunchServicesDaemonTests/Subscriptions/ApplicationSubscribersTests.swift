import BusContract
import DBus
import DBusMainLoop
import LaunchRules
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

@MainActor @Suite("Subscribers to starts and ends of applications", .timeLimit(.minutes(30)))
struct ApplicationSubscribersTests {
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

  @Test("Who subscribes after all others have left is told nothing of what happened in between")
  func inBetween() async throws {
    let world = try await DaemonWorld()
    let signals = world.signals()
    try world.subscribe(DaemonWorld.caller())
    try world.open("photos:1")
    let first = try await world.launch()
    try await expect(signals, "ApplicationWillLaunch com.example.photos launching")
    try await expect(signals, "ApplicationLaunched com.example.photos inactive")
    world.opening.applications.left(SocketPair.name)
    world.coordinator.handle(.exited(first, how: "exited with code 0"), of: first)
    try world.subscribe(DaemonWorld.caller())
    try world.open("photos:2")
    let second = try await world.ordered()
    try await expect(signals, "ApplicationWillLaunch com.example.photos launching")
    try await world.checkIn(second, pid: 43)
    world.finish(second)
    try await expect(signals, "ApplicationLaunched com.example.photos inactive")
  }

  @Test("A signal goes to each subscriber by name, and to no other connection") func names()
    async throws
  {
    let world = try await DaemonWorld()
    let names = EventStream<String>()
    world.sockets.other.onSignal = { names.add($0.destination ?? "everybody") }
    for number in 1...3 { try world.subscribe(DaemonWorld.caller(":direct.\(number)")) }
    world.opening.applications.left(":direct.2")
    try world.open("photos:1")
    for name in [":direct.1", ":direct.3"] { #expect(try await names.next() == name) }
  }

  /// The next signal is this one.
  private func expect(_ signals: EventStream<String>, _ text: String) async throws {
    let signal = try await signals.next()
    #expect(signal == text)
  }
}
