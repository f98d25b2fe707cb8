import BusContract
import DBus
internal import DBusMainLoop
import Glibc
import LaunchServicesTesting
import Testing

/// What a caller asked before it was known who it is was answered in one go, and everybody else waited for that.
@Suite("Regression: a new caller that asks much at once", .timeLimit(.minutes(30)))
struct NewCallerFloodTests {
  @Test("is answered in turn with others") @MainActor func newCaller() async throws {
    try await Testbed.run { world in
      for number in 0..<40 {
        try await world.install("com.example.a\(number)", schemes: ["photos"])
      }
      let known = try await world.newClient()
      _ = try await known.call(Contract.defaultHandler("photos"))
      let flooding = try await world.newClient()
      let questions = 300
      var answers = 0
      world.daemon.signal(SIGSTOP)
      for _ in 0..<questions {
        flooding.session.call(Contract.listApplications(), deadline: nil) { _ in answers += 1 }
      }
      flooding.session.connection?.flush()
      world.daemon.signal(SIGCONT)
      // The first may come before it is known who floods.
      for _ in 0..<5 { _ = try await known.call(Contract.defaultHandler("photos")) }
      world.daemon.signal(SIGSTOP)
      // The bus answers after what the daemon had sent by then.
      _ = try await flooding.call(
        .call(
          to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "GetId"))
      let before = answers
      #expect(before < questions / 3)
      world.daemon.signal(SIGCONT)
      _ = try await flooding.call(Contract.listApplications())
      #expect(answers == questions)
    }
  }
}
