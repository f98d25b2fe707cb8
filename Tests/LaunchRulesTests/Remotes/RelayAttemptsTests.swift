import LaunchRules
import Testing

@Suite("Attempts to open a URL on another machine") struct RelayAttemptsTests {
  @Test("A call that was not sent is not repeated") func notSent() {
    var attempts = RelayAttempts()
    #expect(attempts.next(after: .notSent("no route")) == .notSent("no route"))
    #expect(!attempts.wasSent)
  }

  @Test("After a cut the call is repeated some times, and never called unsent") func cut() {
    var attempts = RelayAttempts()
    #expect(attempts.next(after: .cut("broken pipe")) == .again(afterSeconds: 1))
    #expect(attempts.wasSent)
    #expect(attempts.next(after: .notSent("no route")) == .again(afterSeconds: 3))
    #expect(attempts.next(after: .cut("broken pipe")) == .again(afterSeconds: 8))
    #expect(attempts.next(after: .notSent("no route")) == .again(afterSeconds: 20))
    #expect(attempts.next(after: .notSent("no route")) == .unknown("no route"))
  }

  @Test("A call of an earlier daemon counts as sent") func earlier() {
    var attempts = RelayAttempts(wasSent: true)
    #expect(attempts.next(after: .notSent("no route")) == .again(afterSeconds: 1))
  }
}
