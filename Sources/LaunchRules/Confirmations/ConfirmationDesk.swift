/// The questions to the user that are open: events in, effects out.
///
/// One opener has one question at a time, the others of it wait in their order; questions of
/// different openers know nothing of each other.
package struct ConfirmationDesk: Sendable {
  /// How the user can be asked, in this order.
  package enum Means: String, Hashable, Sendable, CaseIterable {
    /// A program that called `RegisterAgent`.
    case agent
    /// The terminal of the command that opens.
    case terminal
    /// A notification of the desktop.
    case notification
  }

  package struct Question: Hashable, Sendable {
    package var request: RequestID
    package var key: Approvals.Key

    package init(request: RequestID, key: Approvals.Key) {
      self.request = request
      self.key = key
    }
  }

  package enum Event: Hashable, Sendable {
    case answered(isAllowed: Bool, isRemembered: Bool)
    /// This means does not work, and why.
    case unavailable(String)
    /// There was no answer for so many seconds.
    case timedOut(seconds: Int)
  }

  package enum Effect: Hashable, Sendable {
    case ask(RequestID, Means)
    /// The question needs no answer any more.
    case withdraw(RequestID, Means)
    case remember(Approvals.Key, isAllowed: Bool)
    case proceed(RequestID)
    case fail(RequestID, OpenFailure)
  }

  /// Questions of one opener that may be open.
  package static let mostPerOpener = 8

  private struct Waiting {
    var question: Question
    /// Not tried yet.
    var means: [Means]
    /// Being tried.
    var asked: Means?
    /// Why the ones before did not work.
    var reasons: [String] = []
  }

  private var lines: [Approvals.Opener: [Waiting]] = [:]

  package init() {}

  package func holds(_ request: RequestID) -> Bool { opener(of: request) != nil }

  /// - Parameter means: those there are, in the order in which they are tried.
  package mutating func begin(
    _ question: Question, _ means: [Means]
  ) throws(OpenFailure) -> [Effect] {
    let opener = question.key.opener
    let line = lines[opener] ?? []
    guard line.count < Self.mostPerOpener else {
      throw .limitExceeded(
        "\(Self.mostPerOpener) opens of \(opener) wait for the user's answer already, which is the"
          + " limit")
    }
    lines[opener] = line + [Waiting(question: question, means: means)]
    return line.isEmpty ? askNext(opener) : []
  }

  package mutating func handle(_ event: Event, of request: RequestID) -> [Effect] {
    guard let opener = opener(of: request), let first = lines[opener]?.first,
      first.question.request == request, let means = first.asked
    else { return [] }
    switch event {
    case .answered(let isAllowed, let isRemembered):
      return settle(first, isAllowed, isRemembered) + askNext(opener)
    case .unavailable(let why):
      lines[opener]?[0].reasons.append(why)
      lines[opener]?[0].asked = nil
      return askNext(opener)
    case .timedOut(let seconds):
      lines[opener]?.removeFirst()
      let why = "there was no answer within \(seconds) s"
      return [.withdraw(request, means), .fail(request, Self.unavailable([why]))]
        + askNext(opener)
    }
  }

  /// Nobody waits for the open any more. It has no fate from here.
  package mutating func cancel(_ request: RequestID) -> [Effect] {
    guard let opener = opener(of: request),
      let place = lines[opener]?.firstIndex(where: { $0.question.request == request }),
      let waiting = lines[opener]?.remove(at: place)
    else { return [] }
    guard let means = waiting.asked else { return dropEmpty(opener) }
    return [.withdraw(request, means)] + askNext(opener)
  }

  /// Nobody is asked any more.
  package mutating func cancelAll() -> [Effect] {
    defer { lines = [:] }
    return lines.values.joined().compactMap { waiting in
      waiting.asked.map { .withdraw(waiting.question.request, $0) }
    }
  }

  private func opener(of request: RequestID) -> Approvals.Opener? {
    lines.first { $0.value.contains { $0.question.request == request } }?.key
  }

  /// An answer that is remembered answers the same question of those that wait, too.
  private mutating func settle(
    _ waiting: Waiting, _ isAllowed: Bool, _ isRemembered: Bool
  ) -> [Effect] {
    let key = waiting.question.key
    let line = lines[key.opener] ?? []
    let isSettled: (Waiting) -> Bool = { other in
      other.question == waiting.question || (isRemembered && other.question.key == key)
    }
    lines[key.opener] = line.filter { !isSettled($0) }
    let fates = line.filter(isSettled).map { other -> Effect in
      let request = other.question.request
      return isAllowed
        ? .proceed(request)
        : .fail(
          request,
          .confirmationDeclined(
            "the user declined that \(key.opener) opens a \(key.scheme) URL with \(key.handler)"))
    }
    return (isRemembered ? [.remember(key, isAllowed: isAllowed)] : []) + fates
  }

  /// Asks the question whose turn it is, by the next means that there is.
  private mutating func askNext(_ opener: Approvals.Opener) -> [Effect] {
    var effects: [Effect] = []
    while let first = lines[opener]?.first, first.asked == nil {
      if let means = first.means.first {
        lines[opener]?[0].means.removeFirst()
        lines[opener]?[0].asked = means
        return effects + [.ask(first.question.request, means)]
      }
      lines[opener]?.removeFirst()
      effects.append(.fail(first.question.request, Self.unavailable(first.reasons)))
    }
    return effects + dropEmpty(opener)
  }

  private mutating func dropEmpty(_ opener: Approvals.Opener) -> [Effect] {
    if lines[opener]?.isEmpty == true { lines[opener] = nil }
    return []
  }

  private static func unavailable(_ reasons: [String]) -> OpenFailure {
    let why =
      reasons.isEmpty
      ? "there is no confirmation agent, no terminal and no desktop notification"
      : reasons.joined(separator: "; ")
    return .confirmationUnavailable(
      "the user must confirm this open and could not be asked: \(why). To settle it beforehand: "
        + "lsregister approvals allow")
  }
}
