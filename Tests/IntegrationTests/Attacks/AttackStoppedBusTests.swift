import BusContract
import DBus
import DBusMainLoop
import Glibc
import LaunchServicesTesting
import Testing

/// The message bus stands still, as one does that is stopped or starved.
@MainActor @Suite("Attack: a message bus that stands still", .timeLimit(.minutes(30)))
struct AttackStoppedBusTests {
  @Test("The daemon ends on SIGTERM although nobody takes its answers") func stop() async throws {
    try await Testbed.run { world in
      let client = try await world.newClient()
      let direct = try await world.newDirectClient()
      try await client.ping()
      world.daemon.signal(SIGSTOP)
      for _ in 0..<200 {
        // The answers together are more than the daemon's socket takes.
        client.session.call(
          .call(
            to: Contract.busName, path: Contract.objectPath,
            interface: "org.freedesktop.DBus.Introspectable", member: "Introspect"), deadline: nil
        ) { _ in }
      }
      try await isReadByBus(client)
      world.busProcess.signal(SIGSTOP)
      defer { world.busProcess.signal(SIGCONT) }
      world.daemon.signal(SIGCONT)
      // Between answers to this the daemon answers what came over the bus, as far as the bus takes it.
      for _ in 0..<200 { try await direct.ping() }

      #expect(try await world.daemon.stop() == "exited with code 0")

      try await world.daemon.line(
        containing: "the last replies could not be sent to the message bus")
    }
  }

  @Test(
    "A caller whom the bus does not identify in time is refused for that reason, and may ask again")
  func credentials() async throws {
    try await Testbed.run { world in
      let stranger = try await world.newClient()
      world.daemon.signal(SIGSTOP)
      let open = stranger.opening("photos:1")
      try await isReadByBus(stranger)
      world.busProcess.signal(SIGSTOP)
      defer { world.busProcess.signal(SIGCONT) }
      world.daemon.signal(SIGCONT)
      try await world.daemon.line(
        containing: "the message bus did not return the credentials of"
          + " a caller")
      world.busProcess.signal(SIGCONT)

      await #expect(
        throws: Refusal(
          "org.freedesktop.DBus.Error.AccessDenied",
          "the caller cannot be identified: the message bus did not return the credentials of the"
            + " caller (\(BusError.timedOut.text));"
            + " try again later")
      ) { try await open.receipt() }
      try await world.install("com.example.photos", schemes: ["photos"])
      #expect(try await stranger.open("photos:2").outcome == .deliveredCold)
    }
  }

  /// What it has sent is on its way to the daemon. The bus writes some kilobytes in each turn of its loop.
  private func isReadByBus(_ client: TestClient) async throws {
    for _ in 0..<100 { _ = try await client.call(MessageBus.hasOwner("org.example.nobody")) }
  }
}
