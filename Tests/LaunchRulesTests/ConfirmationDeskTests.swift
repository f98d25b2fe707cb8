import LaunchRules
import Testing

@Suite("Questions to the user")
struct ConfirmationDeskTests {
  private func question(
    _ number: UInt64, _ opener: String = "com.example.a", _ scheme: String = "tel",
    on connection: String = ":1.1"
  ) throws -> ConfirmationDesk.Question {
    .init(
      request: RequestID(number),
      key: .init(
        opener: try #require(Approvals.Opener(opener)), scheme: try #require(URLScheme(scheme)),
        handler: try #require(BundleIdentifier("com.example.phone"))), connection: connection)
  }
  private let one = RequestID(1)
  private let two = RequestID(2)

  @Test("are asked by the first means, and an answer decides") func answered() throws {
    var desk = ConfirmationDesk()
    #expect(try desk.begin(question(1), [.agent, .terminal]) == [.ask(one, .agent)])
    #expect(desk.holds(one))
    #expect(
      desk.handle(.answered(isAllowed: true, isRemembered: false), of: one) == [.proceed(one)])
    #expect(!desk.holds(one))
    #expect(try desk.begin(question(2), [.agent]) == [.ask(two, .agent)])
    #expect(
      desk.handle(.answered(isAllowed: false, isRemembered: false), of: two)
        == [.fail(two, declined)])
  }

  private let declined = OpenFailure.confirmationDeclined(
    "the user declined that com.example.a opens a tel URL with com.example.phone")

  @Test("go to the next means when one does not work, and fail after the last") func means() throws
  {
    var desk = ConfirmationDesk()
    #expect(try desk.begin(question(1), [.agent, .notification]) == [.ask(one, .agent)])
    #expect(desk.handle(.unavailable("it has left"), of: one) == [.ask(one, .notification)])
    #expect(
      desk.handle(.unavailable("no server"), of: one) == [
        .fail(
          one,
          .confirmationUnavailable(
            "the user must confirm this open and could not be asked: it has left; no server. To"
              + " settle it beforehand: lsregister approvals allow tel com.example.phone --opener com.example.a"
          ))
      ])
  }

  @Test("fail at once without any means") func none() throws {
    var desk = ConfirmationDesk()
    let effects = try desk.begin(question(1), [])
    #expect(
      effects == [
        .fail(
          one,
          .confirmationUnavailable(
            "the user must confirm this open and could not be asked: there is no confirmation agent,"
              + " no terminal and no desktop notification. To settle it beforehand: lsregister"
              + " approvals allow tel com.example.phone --opener com.example.a"))
      ])
    #expect(!desk.holds(one))
  }

  @Test("of one opener wait for each other, those of another do not") func lines() throws {
    var desk = ConfirmationDesk()
    #expect(try desk.begin(question(1), [.agent]) == [.ask(one, .agent)])
    #expect(try desk.begin(question(2), [.agent]) == [])
    #expect(
      try desk.begin(question(3, "com.example.b"), [.agent]) == [.ask(RequestID(3), .agent)])
    #expect(
      desk.handle(.answered(isAllowed: true, isRemembered: false), of: one)
        == [.proceed(one), .ask(two, .agent)])
  }

  @Test("of two pages, or of two programs, do not wait for each other") func connections() throws {
    var desk = ConfirmationDesk()
    #expect(try desk.begin(question(1, "@web", on: ":1.1"), [.agent]) == [.ask(one, .agent)])
    #expect(try desk.begin(question(2, "@web", on: ":1.2"), [.agent]) == [.ask(two, .agent)])
    // One that counts for good answers the other, which need not be asked any more.
    #expect(
      desk.handle(.answered(isAllowed: true, isRemembered: true), of: two) == [
        .remember(try question(1, "@web").key, isAllowed: true), .withdraw(one, .agent),
        .proceed(one), .proceed(two),
      ])
    for number in 1...32 {
      _ = try desk.begin(question(UInt64(number), "@web", on: ":2.\(number)"), [.agent])
    }
    #expect(
      throws: OpenFailure.limitExceeded(
        "32 opens of @web wait for the user's answer already, which is the limit")
    ) { try desk.begin(question(40, "@web", on: ":3.1"), [.agent]) }
    _ = try desk.begin(question(41, "@unidentified", on: ":3.1"), [.agent])
  }

  @Test("an answer that is remembered answers the same question of those that wait")
  func remembered() throws {
    var desk = ConfirmationDesk()
    _ = try desk.begin(question(1), [.agent])
    _ = try desk.begin(question(2, scheme: "facetime"), [.agent])
    _ = try desk.begin(question(3), [.agent])
    let key = try question(1).key
    #expect(
      desk.handle(.answered(isAllowed: true, isRemembered: true), of: one) == [
        .remember(key, isAllowed: true), .proceed(one), .proceed(RequestID(3)), .ask(two, .agent),
      ])
  }

  @Test("that nobody answers fail after their time, and the next is asked") func late() throws {
    var desk = ConfirmationDesk()
    _ = try desk.begin(question(1), [.agent, .terminal])
    _ = try desk.begin(question(2), [.agent])
    #expect(
      desk.handle(.timedOut(seconds: 60), of: one) == [
        .withdraw(one, .agent),
        .fail(
          one,
          .confirmationUnavailable(
            "the user must confirm this open and could not be asked: there was no answer within"
              + " 60 s. To settle it beforehand: lsregister approvals allow tel com.example.phone"
              + " --opener com.example.a")),
        .ask(two, .agent),
      ])
    #expect(desk.handle(.answered(isAllowed: true, isRemembered: false), of: one) == [])
  }

  @Test("are withdrawn when the opener cancels, whether asked or waiting") func cancelled() throws {
    var desk = ConfirmationDesk()
    _ = try desk.begin(question(1), [.agent])
    _ = try desk.begin(question(2), [.agent])
    _ = try desk.begin(question(3), [.agent])
    #expect(desk.cancel(two) == [])
    #expect(desk.cancel(one) == [.withdraw(one, .agent), .ask(RequestID(3), .agent)])
    #expect(desk.cancelAll() == [.withdraw(RequestID(3), .agent)])
    #expect(desk.cancel(RequestID(3)) == [])
  }

  @Test("that are too many of one opener are refused") func limit() throws {
    var desk = ConfirmationDesk()
    for number in 1...8 { _ = try desk.begin(question(UInt64(number)), [.agent]) }
    #expect(
      throws: OpenFailure.limitExceeded(
        "8 opens of com.example.a wait for the user's answer already, which is the limit")
    ) { try desk.begin(question(9), [.agent]) }
    _ = try desk.begin(question(10, "com.example.b"), [.agent])
  }

  private func question(_ number: UInt64, scheme: String) throws -> ConfirmationDesk.Question {
    try question(number, "com.example.a", scheme)
  }
}
