import LaunchServicesTesting
import Testing

@testable import DBus
@testable import DBusMainLoop

@MainActor @Suite("Calls of several callers", .timeLimit(.minutes(10)))
struct FairQueueTests {
  @Test("are answered in turn, each caller's in its order, and one too many is refused")
  func turns() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let bus = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let served = BusSession(try Connection(address: bus))
      served.overflow = (3, .failed("too many"))
      var order: [String] = []
      served.onCall = { call in
        order.append(call.arguments().first?.asString ?? "")
        call.succeed()
      }
      let name = try #require(served.connection.map(\.uniqueName).flatMap(BusName.init))
      let callers = try (0..<2).map { _ in try Connection(address: bus) }
      func send(_ text: String, by caller: Int) {
        callers[caller].send(
          .call(to: name, path: "/x", interface: "org.example.X", member: "M", [.string(text)]))
      }
      // All of them are there before the session reads the first.
      for number in 0..<5 { send("a\(number)", by: 0) }
      callers[0].flush()
      try roundTrip(callers[0])
      for number in 0..<2 { send("b\(number)", by: 1) }
      callers[1].flush()
      try roundTrip(callers[1])
      served.start()
      while order.count < 5 { await Task.yield() }
      #expect(order == ["a0", "b0", "a1", "b1", "a2"])
    }
  }

  @Test("of a caller that is held keep their places, and others are answered meanwhile")
  func hold() async throws {
    try await Testbed.run(startsDaemon: false) { world in
      let bus = try #require(world.environment["DBUS_SESSION_BUS_ADDRESS"])
      let served = BusSession(try Connection(address: bus))
      var order: [String] = []
      let callers = try (0..<2).map { _ in try Connection(address: bus) }
      let flooding = callers[0].uniqueName
      served.onCall = { call in
        order.append(call.arguments().first?.asString ?? "")
        if call.sender == flooding { served.hold(flooding, for: .milliseconds(20)) }
        call.succeed()
      }
      let name = try #require(served.connection.map(\.uniqueName).flatMap(BusName.init))
      @MainActor func send(_ text: String, by caller: Int) throws {
        callers[caller].send(
          .call(to: name, path: "/x", interface: "org.example.X", member: "M", [.string(text)]))
        callers[caller].flush()
        try roundTrip(callers[caller])
      }
      for number in 0..<3 { try send("a\(number)", by: 0) }
      for number in 0..<3 { try send("b\(number)", by: 1) }
      served.start()
      while order.count < 6 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(order == ["a0", "b0", "b1", "b2", "a1", "a2"])
    }
  }

  /// When the bus has answered, it has passed on what came before.
  private func roundTrip(_ connection: Connection) throws {
    _ = try connection.callAndWait(
      .call(
        to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: "GetId"))
  }
}
