import LaunchRules
import Testing

@Suite("Questions to the user")
struct ConfirmationQueueTests {
  private func question(
    _ number: UInt64, _ opener: String = "com.example.a", _ scheme: String = "tel",
    on connection: String = ":1.1", of owners: [LoadOwner] = []
  ) throws -> ConfirmationQueue.Question {
    .init(
      request: RequestID(number),
      key: .init(
        opener: try #require(Approvals.Opener(opener)), scheme: try #require(URLScheme(scheme)),
        handler: try #require(BundleIdentifier("com.example.phone"))), connection: connection,
      owners: owners, row: "tel-application")
  }
  private let one = RequestID(1)
  private let two = RequestID(2)

  @Test("are asked by the first means, and an answer decides") func answered() throws {
    var queue = ConfirmationQueue()
    #expect(try queue.begin(question(1), [.agent, .terminal]) == [.ask(one, .agent)])
    #expect(queue.isWaiting(one))
    #expect(
      queue.handle(.answered(isAllowed: true, isRemembered: false), of: one) == [.proceed(one)])
    #expect(!queue.isWaiting(one))
    #expect(try queue.begin(question(2), [.agent]) == [.ask(two, .agent)])
    #expect(
      queue.handle(.answered(isAllowed: false, isRemembered: false), of: two)
        == [.fail(two, declined)])
  }

  @Test("D2: an answer that may not be remembered counts once") func once() throws {
    var queue = ConfirmationQueue()
    var asked = try question(1)
    asked.mayBeRemembered = false
    #expect(try queue.begin(asked, [.agent]) == [.ask(one, .agent)])
    #expect(
      queue.handle(.answered(isAllowed: true, isRemembered: true), of: one) == [.proceed(one)])
    let effects = try queue.begin(asked, [])
    guard case .fail(_, let failure) = effects.first else { return #expect(Bool(false)) }
    #expect(
      failure.sentence.hasSuffix(
        ". No answer to this question is remembered; the row tel-application of the setting Confirmations"
          + " switches the question off"))
  }

  @Test("a declined call with a device names the device as the question did") func device() throws {
    var queue = ConfirmationQueue()
    var asked = try question(1)
    asked.handlerName = "Pocket Phone"
    _ = try queue.begin(asked, [.agent])
    #expect(
      queue.handle(.answered(isAllowed: false, isRemembered: false), of: one) == [
        .fail(
          one,
          .confirmationDeclined(
            "the user declined that com.example.a opens a tel URL with Pocket Phone"))
      ])
  }

  private let declined = OpenFailure.confirmationDeclined(
    "the user declined that com.example.a opens a tel URL with com.example.phone")

  @Test("go to the next means when one does not work, and fail after the last") func means() throws
  {
    var queue = ConfirmationQueue()
    #expect(try queue.begin(question(1), [.agent, .notification]) == [.ask(one, .agent)])
    #expect(queue.handle(.unavailable("it has left"), of: one) == [.ask(one, .notification)])
    #expect(
      queue.handle(.unavailable("no server"), of: one) == [
        .fail(
          one,
          .confirmationUnavailable(
            "the user must confirm this open and could not be asked: it has left; no server. To"
              + " settle it beforehand: lsregister approvals allow tel com.example.phone --opener com.example.a"
          ))
      ])
  }

  @Test("fail at once without any means") func none() throws {
    var queue = ConfirmationQueue()
    let effects = try queue.begin(question(1), [])
    #expect(
      effects == [
        .fail(
          one,
          .confirmationUnavailable(
            "the user must confirm this open and could not be asked: there is no confirmation agent,"
              + " no terminal and no desktop notification. To settle it beforehand: lsregister"
              + " approvals allow tel com.example.phone --opener com.example.a"))
      ])
    #expect(!queue.isWaiting(one))
  }

  @Test("of one opener wait for each other, those of another do not") func lines() throws {
    var queue = ConfirmationQueue()
    #expect(try queue.begin(question(1), [.agent]) == [.ask(one, .agent)])
    #expect(try queue.begin(question(2), [.agent]) == [])
    #expect(
      try queue.begin(question(3, "com.example.b"), [.agent]) == [.ask(RequestID(3), .agent)])
    #expect(
      queue.handle(.answered(isAllowed: true, isRemembered: false), of: one)
        == [.proceed(one), .ask(two, .agent)])
  }

  @Test("of two pages, or of two programs, do not wait for each other") func connections() throws {
    var queue = ConfirmationQueue()
    #expect(try queue.begin(question(1, "@web", on: ":1.1"), [.agent]) == [.ask(one, .agent)])
    #expect(try queue.begin(question(2, "@web", on: ":1.2"), [.agent]) == [.ask(two, .agent)])
    // One that counts for good answers the other, which need not be asked any more.
    #expect(
      queue.handle(.answered(isAllowed: true, isRemembered: true), of: two) == [
        .remember(try question(1, "@web").key, isAllowed: true), .withdraw(one, .agent),
        .proceed(one), .proceed(two),
      ])
    for number in 1...32 {
      _ = try queue.begin(question(UInt64(number), "@web", on: ":2.\(number)"), [.agent])
    }
    #expect(
      throws: OpenFailure.limitExceeded(
        "32 opens of a web page wait for the user's answer already, which is the limit")
    ) { try queue.begin(question(40, "@web", on: ":3.1"), [.agent]) }
    _ = try queue.begin(question(41, "@unidentified", on: ":3.1"), [.agent])
  }

  @Test("an answer that is remembered answers the same question of those that wait")
  func remembered() throws {
    var queue = ConfirmationQueue()
    _ = try queue.begin(question(1), [.agent])
    _ = try queue.begin(question(2, scheme: "facetime"), [.agent])
    _ = try queue.begin(question(3), [.agent])
    let key = try question(1).key
    #expect(
      queue.handle(.answered(isAllowed: true, isRemembered: true), of: one) == [
        .remember(key, isAllowed: true), .proceed(one), .proceed(RequestID(3)), .ask(two, .agent),
      ])
  }

  @Test("an answer that is remembered lets the next question of another line be asked")
  func nextOfAnotherLine() throws {
    var queue = ConfirmationQueue()
    _ = try queue.begin(question(1, "@web", on: ":1.1"), [.agent])
    _ = try queue.begin(question(2, "@web", on: ":1.2"), [.terminal])
    _ = try queue.begin(question(3, "@web", "facetime", on: ":1.2"), [.notification])
    #expect(
      queue.handle(.answered(isAllowed: false, isRemembered: true), of: one) == [
        .remember(try question(1, "@web").key, isAllowed: false),
        .fail(
          one,
          .confirmationDeclined(
            "the user declined that a web page opens a tel URL with com.example.phone")),
        .withdraw(two, .terminal),
        .fail(
          two,
          .confirmationDeclined(
            "the user declined that a web page opens a tel URL with com.example.phone")),
        .ask(RequestID(3), .notification),
      ])
    #expect(!queue.isWaiting(two) && queue.isWaiting(RequestID(3)))
  }

  @Test("that nobody answers fail after their time, and the next is asked") func late() throws {
    var queue = ConfirmationQueue()
    _ = try queue.begin(question(1), [.agent, .terminal])
    _ = try queue.begin(question(2), [.agent])
    #expect(
      queue.handle(.timedOut(seconds: 60), of: one) == [
        .withdraw(one, .agent),
        .fail(
          one,
          .confirmationUnavailable(
            "the user must confirm this open and could not be asked: there was no answer within"
              + " 60 s. To settle it beforehand: lsregister approvals allow tel com.example.phone"
              + " --opener com.example.a")),
        .ask(two, .agent),
      ])
    #expect(queue.handle(.answered(isAllowed: true, isRemembered: false), of: one) == [])
  }

  @Test("are withdrawn when the opener cancels, whether asked or waiting") func cancelled() throws {
    var queue = ConfirmationQueue()
    _ = try queue.begin(question(1), [.agent])
    _ = try queue.begin(question(2), [.agent])
    _ = try queue.begin(question(3), [.agent])
    #expect(queue.cancel(two) == [])
    #expect(queue.cancel(one) == [.withdraw(one, .agent), .ask(RequestID(3), .agent)])
    #expect(queue.cancelAll() == [.withdraw(RequestID(3), .agent)])
    #expect(queue.cancel(RequestID(3)) == [])
  }

  @Test("that are too many of one opener are refused") func limit() throws {
    var queue = ConfirmationQueue()
    for number in 1...8 { _ = try queue.begin(question(UInt64(number)), [.agent]) }
    #expect(
      throws: OpenFailure.limitExceeded(
        "8 opens of com.example.a wait for the user's answer already, which is the limit")
    ) { try queue.begin(question(9), [.agent]) }
    _ = try queue.begin(question(10, "com.example.b"), [.agent])
  }

  /// A program with four connections had 32 questions, and no page was asked about until the user had answered them.
  @Test("of one program on many connections, and of one unit, leave room for those of others")
  func shares() throws {
    var queue = ConfirmationQueue()
    var number: UInt64 = 0
    func begin(_ pid: Int32, _ unit: String) throws {
      number += 1
      _ = try queue.begin(
        question(
          number, "@web", on: ":1.\(number)",
          of: [.process(pid, startTime: 1), .unit(unit)]), [.agent])
    }
    for _ in 1...8 { try begin(1, "a") }
    #expect(
      throws: OpenFailure.limitExceeded(
        "8 opens of this program wait for the user's answer already, which is the limit")
    ) { try begin(1, "a") }
    for pid in 2...3 { for _ in 1...8 { try begin(Int32(pid), "a") } }
    #expect(
      throws: OpenFailure.limitExceeded(
        "24 opens of the programs that belong together with this one wait for the user's answer already,"
          + " which is the limit")
    ) { try begin(4, "a") }
    for _ in 1...8 { try begin(5, "b") }
    #expect(
      throws: OpenFailure.limitExceeded(
        "32 opens of a web page wait for the user's answer already, which is the limit")
    ) { try begin(6, "b") }
  }

  private func question(_ number: UInt64, scheme: String) throws -> ConfirmationQueue.Question {
    try question(number, "com.example.a", scheme)
  }
}
