/// The open questions to the user, as a state machine with events and effects.
///
/// The questions of one line are asked one at a time. A line contains the questions of one application, or of
/// one connection of a caller that is not an application. Lines are independent.
package struct ConfirmationQueue: Sendable {
  /// The means of asking the user, in order of preference.
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
    /// The connection of the opener.
    package var connection: String
    /// The opener, then the groups that it belongs to; see `IdentifiedCaller.groups`.
    package var owners: [LoadOwner]
    /// The name of the row of the setting `Confirmations` that requires the question.
    package var row: String
    /// The reason why the terminal of the opener is not asked, although there is one; nil otherwise.
    package var terminalObjection: String?
    /// Whether the answer may be remembered for later opens.
    package var mayBeRemembered: Bool
    /// The name of the handler for the opener: of a device, whose identifier means nothing to a user; otherwise the
    /// identifier.
    package var handlerName: String

    package init(
      request: RequestID, key: Approvals.Key, connection: String, owners: [LoadOwner] = [],
      row: String, terminalObjection: String? = nil, mayBeRemembered: Bool = true,
      device: Device? = nil
    ) {
      handlerName = device?.name ?? key.handler.text
      self.request = request
      self.key = key
      self.connection = connection
      self.owners = owners
      self.row = row
      self.terminalObjection = terminalObjection
      self.mayBeRemembered = mayBeRemembered
    }

    var line: Line {
      if case .application = key.opener { return Line(opener: key.opener, connection: nil) }
      return Line(opener: key.opener, connection: connection)
    }
  }

  package enum Event: Hashable, Sendable {
    case answered(isAllowed: Bool, isRemembered: Bool)
    /// This means cannot be used, with the reason.
    case unavailable(String)
    /// The timeout expired without an answer.
    case timedOut(seconds: Int)
  }

  package enum Effect: Hashable, Sendable {
    case ask(RequestID, Means)
    /// The question no longer needs an answer.
    case withdraw(RequestID, Means)
    case remember(Approvals.Key, isAllowed: Bool)
    case proceed(RequestID)
    case fail(RequestID, OpenFailure)
  }

  /// Maximum number of open questions of one line, and of one caller on all its connections.
  package static let mostInLine = 8
  /// Maximum number of open questions of one group of callers, so that the programs of one unit leave room for others.
  package static let mostPerGroup = 24
  /// Maximum number of open questions of all pages together, and of all programs together that are not applications.
  package static let mostPerOpener = 32

  struct Line: Hashable, Sendable {
    var opener: Approvals.Opener
    var connection: String?
  }

  private struct Waiting {
    var question: Question
    /// Means that were not tried so far.
    var means: [Means]
    /// The means in use.
    var asked: Means?
    /// The reasons why earlier means failed.
    var reasons: [String] = []
  }

  private var lines: [Line: [Waiting]] = [:]

  package init() {}

  package func isWaiting(_ request: RequestID) -> Bool { line(of: request) != nil }

  /// - Parameter means: the available means, in order of preference.
  package mutating func begin(
    _ question: Question, _ means: [Means]
  ) throws(OpenFailure) -> [Effect] {
    let line = question.line
    let waiting = lines[line] ?? []
    try checkLimits(of: question)
    lines[line] = waiting + [Waiting(question: question, means: means)]
    return waiting.isEmpty ? askNext(line) : []
  }

  private func checkLimits(of question: Question) throws(OpenFailure) {
    let line = question.line
    let all = lines.filter { $0.key.opener == line.opener }.values.joined().map(\.question)
    func check(_ count: Int, _ limit: Int, _ whose: String) throws(OpenFailure) {
      guard count >= limit else { return }
      throw .limitExceeded(
        "\(limit) opens of \(whose) wait for the user's answer already, which is the limit")
    }
    try check(lines[line]?.count ?? 0, Self.mostInLine, line.opener.inWords)
    for (index, owner) in question.owners.enumerated() {
      try check(
        all.count { $0.owners.contains(owner) },
        index == 0 ? Self.mostInLine : Self.mostPerGroup,
        index == 0 ? "this program" : "the programs that belong together with this one")
    }
    try check(all.count, Self.mostPerOpener, line.opener.inWords)
  }

  package mutating func handle(_ event: Event, of request: RequestID) -> [Effect] {
    guard let line = line(of: request), let first = lines[line]?.first,
      first.question.request == request, let means = first.asked
    else { return [] }
    switch event {
    case .answered(let isAllowed, let isRemembered):
      return settle(first, isAllowed, isRemembered && first.question.mayBeRemembered)
        + askNext(line)
    case .unavailable(let why):
      lines[line]?[0].reasons.append(why)
      lines[line]?[0].asked = nil
      return askNext(line)
    case .timedOut(let seconds):
      lines[line]?.removeFirst()
      let why = "there was no answer within \(seconds) s"
      return [
        .withdraw(request, means), .fail(request, Self.unavailable([why], first.question)),
      ]
        + askNext(line)
    }
  }

  /// Removes an open that is no longer wanted. The queue does not settle the open.
  package mutating func cancel(_ request: RequestID) -> [Effect] {
    guard let line = line(of: request),
      let place = lines[line]?.firstIndex(where: { $0.question.request == request }),
      let waiting = lines[line]?.remove(at: place)
    else { return [] }
    guard let means = waiting.asked else { return dropEmpty(line) }
    return [.withdraw(request, means)] + askNext(line)
  }

  /// Withdraws all questions.
  package mutating func cancelAll() -> [Effect] {
    defer { lines = [:] }
    return lines.values.joined().compactMap { waiting in
      waiting.asked.map { .withdraw(waiting.question.request, $0) }
    }
  }

  private func line(of request: RequestID) -> Line? {
    lines.first { $0.value.contains { $0.question.request == request } }?.key
  }

  /// Settles an open. A remembered answer also settles all waiting opens with the same key.
  private mutating func settle(
    _ waiting: Waiting, _ isAllowed: Bool, _ isRemembered: Bool
  ) -> [Effect] {
    let key = waiting.question.key
    let isSettled: (Waiting) -> Bool = { other in
      other.question == waiting.question || (isRemembered && other.question.key == key)
    }
    let settled = lines.values.joined().filter(isSettled)
      .sorted { $0.question.request < $1.question.request }
    let touched = lines.filter { $0.value.contains(where: isSettled) }.keys
    for line in touched { lines[line]?.removeAll(where: isSettled) }
    var effects: [Effect] = isRemembered ? [.remember(key, isAllowed: isAllowed)] : []
    for other in settled {
      let request = other.question.request
      if other.question != waiting.question, let means = other.asked {
        effects.append(.withdraw(request, means))
      }
      effects.append(
        isAllowed
          ? .proceed(request)
          : .fail(
            request,
            .confirmationDeclined(
              "the user declined that \(key.opener.inWords) opens a \(key.scheme) URL with \(other.question.handlerName)"
            ))
      )
    }
    for line in touched where line != waiting.question.line { effects += askNext(line) }
    return effects
  }

  /// Asks the next question of the line, with its next available means.
  private mutating func askNext(_ line: Line) -> [Effect] {
    var effects: [Effect] = []
    while let first = lines[line]?.first, first.asked == nil {
      if let means = first.means.first {
        lines[line]?[0].means.removeFirst()
        lines[line]?[0].asked = means
        return effects + [.ask(first.question.request, means)]
      }
      lines[line]?.removeFirst()
      let objection = first.question.terminalObjection
      let reasons = (objection.map { [$0] } ?? []) + first.reasons
      effects.append(
        .fail(
          first.question.request,
          Self.unavailable(
            reasons, first.question,
            advice: objection == nil
              ? ""
              : "To be asked, start a confirmation agent or a notification service of the desktop. "
          )))
    }
    return effects + dropEmpty(line)
  }

  private mutating func dropEmpty(_ line: Line) -> [Effect] {
    if lines[line]?.isEmpty == true { lines[line] = nil }
    return []
  }

  private static func unavailable(
    _ reasons: [String], _ question: Question, advice: String = ""
  ) -> OpenFailure {
    let why =
      reasons.isEmpty
      ? "there is no confirmation agent, no terminal and no desktop notification"
      : reasons.joined(separator: "; ")
    return .confirmationUnavailable(
      "the user must confirm this open and could not be asked: \(why). \(advice)\(question.nextStep)"
    )
  }
}

extension ConfirmationQueue.Question {
  /// Advice for future opens when the user cannot be asked.
  package var nextStep: String {
    if case .remote(let name) = key.opener, mayBeRemembered {
      return "To open such URLs of \(name) without a question:"
        + " lsregister remote allow \(name.text) \(key.scheme)"
    }
    return mayBeRemembered
      ? "To settle it beforehand: "
        + "lsregister approvals allow \(key.scheme) \(key.handler) --opener \(key.opener)"
      : "No answer to this question is remembered; the row \(row) of the setting Confirmations switches the"
        + " question off"
  }
}
