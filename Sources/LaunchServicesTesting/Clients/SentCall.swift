internal import DBus
internal import DBusMainLoop

/// A call that was sent and may have no answer yet.
@MainActor final class SentCall {
  private let answers = Inbox<Result<[Value], BusError>>()

  init(_ message: borrowing Message, on session: BusSession) {
    session.call(message, deadline: nil) { [answers] in answers.put($0) }
  }

  /// Whether the answer has arrived and was not taken.
  var isAnswered: Bool { !answers.contents.isEmpty }

  /// Waits for the answer, once.
  /// - Parameter what: The description of the answer in the error, such as `the end of process 42`.
  func answer(_ what: String) async throws(NeverCame) -> Result<[Value], BusError> {
    try await answers.next(what)
  }
}
