import BusContract
import DBus
internal import DBusMainLoop
import Glibc
import LaunchServicesTesting
import Testing

/// What a caller asked before it was known who it is was answered in one go, and everybody else waited for that.
@Suite("Regression: a new caller that asks much at once", .timeLimit(.minutes(10)))
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
      var answersBefore: Int?
      known.session.call(Contract.defaultHandler("photos"), deadline: nil) { _ in
        answersBefore = answers
      }
      world.daemon.signal(SIGCONT)
      _ = try await flooding.call(Contract.listApplications())
      #expect(answers == questions)
      let before = try #require(answersBefore)
      #expect(before < questions / 2, "\(before) answers came before")
    }
  }
}
