import LaunchRules
import Testing

@Suite("Attempts to open a URL on another machine") struct RelayAttemptsTests {
  @Test("A call that was not sent is not repeated") func notSent() {
    var attempts = RelayAttempts()
    #expect(
      attempts.next(after: .notSent(.noConnection("no route")))
        == .notSent(.noConnection("no route")))
    #expect(!attempts.wasSent)
  }

  @Test("After a cut the call is repeated some times, and never called unsent") func cut() {
    var attempts = RelayAttempts()
    #expect(attempts.next(after: .cut("broken pipe")) == .again(afterSeconds: 1))
    #expect(attempts.wasSent)
    #expect(attempts.next(after: .notSent(.noConnection("no route"))) == .again(afterSeconds: 3))
    #expect(attempts.next(after: .cut("broken pipe")) == .again(afterSeconds: 8))
    #expect(attempts.next(after: .notSent(.noConnection("no route"))) == .again(afterSeconds: 20))
    #expect(attempts.next(after: .notSent(.noConnection("no route"))) == .unknown("no route"))
  }

  @Test("A machine that took the call and does not answer is not asked again") func silent() {
    var attempts = RelayAttempts()
    #expect(attempts.next(after: .silent("no answer")) == .unknown("no answer"))
    #expect(attempts.wasSent)
    // Longer than an honest machine needs.
    #expect(RelayAttempts.answerTime(validFor: 180_000) == .seconds(240))
  }

  @Test("A call of an earlier daemon counts as sent") func earlier() {
    var attempts = RelayAttempts(wasSent: true)
    #expect(attempts.next(after: .notSent(.noConnection("no route"))) == .again(afterSeconds: 1))
  }
}
