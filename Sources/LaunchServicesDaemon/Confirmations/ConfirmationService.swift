internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules

/// Asks the user about opens (R4.15), and keeps the answers that are to be remembered.
final class ConfirmationService {
  /// An open that waits for the user.
  struct Request {
    let situation: ConfirmationRule.Situation
    /// What the user is shown of the URL.
    let subject: String
    /// The opener's connection.
    let connection: String
    /// The object on the opener's connection that asks on a terminal; nil when there is none, or none that is
    /// believed.
    let terminal: ObjectPath?
    /// False when the opener forbids to ask.
    let isInteractive: Bool
  }

  private(set) var rule: ConfirmationRule
  private let approvalFile: StateFile<ApprovalState>
  private let notifications: NotificationAgent
  private let settings: ConfirmationSettings
  /// The session that a connection is reached by.
  private let session: (String) -> BusSession
  private let journal: Journal
  private var desk = ConfirmationDesk()
  private var requests: [RequestID: Request] = [:]
  private var agents = ConfirmationAgents()
  /// The agents that were asked and have not answered.
  private var asked: [RequestID: ConfirmationAgent] = [:]
  /// Called when an open may go on.
  var onProceed: ((RequestID) -> Void)?
  var onFail: ((RequestID, OpenFailure) -> Void)?

  init(
    _ settings: ConfirmationSettings, _ approvalFile: StateFile<ApprovalState>,
    _ notifications: NotificationAgent, _ journal: Journal,
    session: @escaping (String) -> BusSession
  ) {
    rule = ConfirmationRule(
      table: settings.table, approvals: approvalFile.read(journal)?.value(journal) ?? Approvals())
    self.approvalFile = approvalFile
    self.notifications = notifications
    self.settings = settings
    self.journal = journal
    self.session = session
  }

  /// Asks the user; `onProceed` or `onFail` is called once, unless the open is cancelled.
  func begin(_ id: RequestID, _ request: Request) {
    guard request.isInteractive else {
      onFail?(
        id,
        .confirmationUnavailable(
          "the user must confirm this open, and its option 'interactive' forbids to ask"))
      return
    }
    let question = ConfirmationDesk.Question(
      request: id, key: request.situation.key, connection: request.connection)
    do throws(OpenFailure) {
      requests[id] = request
      perform(try desk.begin(question, means(request)))
    } catch {
      fail(id, error)
    }
  }

  /// The open waits for the user.
  func holds(_ id: RequestID) -> Bool { desk.holds(id) }

  /// The open has a fate without the user.
  func cancel(_ id: RequestID) {
    perform(desk.cancel(id))
    requests[id] = nil
  }

  /// Nobody is asked any more.
  func cancelAll() {
    perform(desk.cancelAll())
    requests = [:]
  }

  /// The connection has gone.
  func left(_ connection: String) {
    agents.remove(connection)
    notifications.left(connection)
  }

  private func means(_ request: Request) -> [ConfirmationDesk.Means] {
    ConfirmationDesk.Means.allCases.filter { means in
      switch means {
      case .agent: agents.current != nil
      case .terminal: request.terminal != nil
      case .notification: true
      }
    }
  }

  private func perform(_ effects: [ConfirmationDesk.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let id, let means): ask(id, means)
      case .withdraw(let id, let means): withdraw(id, means)
      case .remember(let key, let isAllowed): remember(key, isAllowed)
      case .proceed(let id):
        requests[id] = nil
        onProceed?(id)
      case .fail(let id, let failure): fail(id, failure)
      }
    }
  }

  private func fail(_ id: RequestID, _ failure: OpenFailure) {
    requests[id] = nil
    onFail?(id, failure)
  }

  private func answered(_ id: RequestID, _ event: ConfirmationDesk.Event) {
    perform(desk.handle(event, of: id))
  }
}

// MARK: - Means

extension ConfirmationService {
  private func ask(_ id: RequestID, _ means: ConfirmationDesk.Means) {
    guard let request = requests[id] else {
      return answered(id, .unavailable("the open has gone"))
    }
    let situation = request.situation
    let question = ConfirmationQuestion(
      id: "\(id.number)", approval: situation.key, origin: situation.origin.rawValue,
      url: request.subject, handlerName: situation.handler.declaration.visibleName,
      question: situation.sentence(request.subject))
    switch means {
    case .agent, .terminal:
      guard let agent = agent(means, request) else {
        return answered(id, .unavailable("the \(means.rawValue) has gone"))
      }
      asked[id] = agent
      session(agent.connection).call(
        agent.call("Confirm", [.options(question.dictionary)]), deadline: .seconds(settings.timeout)
      ) { [weak self] answer in
        guard let self else { return }
        let event = event(answer, means)
        if case .timedOut = event {} else { asked[id] = nil }  // it is to be withdrawn
        answered(id, event)
      }
    case .notification:
      notifications.ask(id, question, seconds: settings.timeout) { [weak self] event in
        self?.answered(id, event)
      }
    }
  }

  private func agent(
    _ means: ConfirmationDesk.Means, _ request: Request
  ) -> ConfirmationAgent? {
    guard means == .terminal else { return agents.current }
    return request.terminal.map { ConfirmationAgent(connection: request.connection, path: $0) }
  }

  private func event(
    _ answer: Result<[Value], BusError>, _ means: ConfirmationDesk.Means
  ) -> ConfirmationDesk.Event {
    switch answer {
    case .success(let values):
      let answer = values.first?.asOptions ?? [:]
      guard let isAllowed = answer[Key.allowed]?.asBoolean else {
        return .unavailable("the \(means.rawValue) did not answer with 'allowed'")
      }
      return .answered(
        isAllowed: isAllowed, isRemembered: answer[Key.remember]?.asBoolean ?? false)
    case .failure(let error) where error.name == BusError.timedOut.name:
      return .timedOut(seconds: settings.timeout)
    case .failure(let error): return .unavailable("the \(means.rawValue) failed: \(error.text)")
    }
  }

  private func withdraw(_ id: RequestID, _ means: ConfirmationDesk.Means) {
    switch means {
    case .agent, .terminal:
      guard let agent = asked.removeValue(forKey: id) else { return }
      session(agent.connection).send(
        agent.call("Withdraw", [.string("\(id.number)")], expectsReply: false))
    case .notification: notifications.withdraw(id)
    }
  }
}

// MARK: - Remembered answers

extension ConfirmationService {
  private func remember(_ key: Approvals.Key, _ isAllowed: Bool) {
    guard rule.approvals.set(key, isAllowed) else {
      return journal.warning(
        "the answer is not remembered: there are too many", ["limit": "\(Approvals.most)"])
    }
    do throws(FileError) {
      try approvalFile.write(ApprovalState(rule.approvals))
    } catch {
      journal.error("the answer cannot be stored", ["reason": "\(error)"])
    }
  }

  /// Answers a call of `Confirmation1`, whose caller may make it.
  /// - Parameter executable: the caller's program, for the log.
  func answer(
    _ request: IncomingCall, of sender: String, executable: String
  ) throws(BusError) -> [Value] {
    switch request {
    case .registerAgent(let path):
      try agents.add(ConfirmationAgent(connection: sender, path: path))
      journal.notice("a confirmation agent has registered", ["caller": executable])
      return []
    case .approvals:
      let entries = rule.approvals.entries.map { Approval($0, isAllowed: $1) }
      return [.optionsList(entries.map(\.dictionary))]
    case .setApprovals(let changes):
      try change { approvals throws(BusError) in
        for approval in changes where !approvals.set(approval.key, approval.isAllowed) {
          throw OpenFailure.limitExceeded(
            "\(Approvals.most) answers are remembered, which is the limit"
          ).busError
        }
      }
      return []
    case .resetApprovals(let opener, let scheme, let handler):
      var count = 0
      try change { approvals throws(BusError) in
        count = approvals.reset(opener: opener, scheme: scheme, handler: handler)
      }
      return [.uint32(UInt32(count))]
    default: preconditionFailure("\(request) is not a call of Confirmation1")
    }
  }

  /// Stores the remembered answers: the file was removed.
  func storeAgain() throws(FileError) { try approvalFile.write(ApprovalState(rule.approvals)) }

  /// All or nothing.
  private func change(
    _ body: (inout Approvals) throws(BusError) -> Void
  ) throws(BusError) {
    var approvals = rule.approvals
    try body(&approvals)
    do throws(FileError) {
      try approvalFile.write(ApprovalState(approvals))
    } catch {
      throw .failed("the change could not be stored: \(error)")
    }
    rule.approvals = approvals
  }
}
