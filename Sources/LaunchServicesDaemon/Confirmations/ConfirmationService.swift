internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import DaemonSettings
internal import Host
internal import LaunchRules

/// Asks the user about opens (R4.15), and stores remembered answers.
final class ConfirmationService {
  /// An open that waits for the user.
  struct Request {
    let situation: ConfirmationRule.Situation
    /// The URL in the form shown to the user.
    let subject: String
    /// The opener's connection.
    let connection: String
    /// The opener, then its groups; see `IdentifiedCaller.groups`.
    let owners: [LoadOwner]
    /// The object on the opener's connection that asks in a terminal; nil without such an object, or when the
    /// opener may not answer for the user.
    let terminal: ObjectPath?
    /// The reason why the terminal of the opener is not asked, although there is one; nil otherwise.
    var terminalObjection: String?
    /// False when the opener forbids questions.
    let isInteractive: Bool
  }

  private let store: ApprovalStore
  private let notifications: NotificationAgent
  private let settings: ConfirmationSettings
  /// Returns the session of a connection.
  private let session: (String) -> BusSession
  private let journal: Journal
  private var queue = ConfirmationQueue()
  private var requests: [RequestID: Request] = [:]
  private var agents = ConfirmationAgents()
  /// The agents with an open question.
  private var asked: [RequestID: ConfirmationAgent] = [:]
  /// Called when an open may proceed.
  var onProceed: ((RequestID) -> Void)?
  var onFail: ((RequestID, OpenFailure) -> Void)?

  init(
    _ settings: ConfirmationSettings, _ approvalFile: StateFile<ApprovalState>,
    _ notifications: NotificationAgent, _ journal: Journal,
    session: @escaping (String) -> BusSession
  ) {
    store = ApprovalStore(approvalFile, journal)
    self.notifications = notifications
    self.settings = settings
    self.journal = journal
    self.session = session
  }

  var rule: ConfirmationRule {
    ConfirmationRule(table: settings.table, approvals: store.approvals)
  }

  /// Asks the user; `onProceed` or `onFail` is called once, unless the open is cancelled.
  func begin(_ id: RequestID, _ request: Request) {
    let question = ConfirmationQueue.Question(
      request: id, key: request.situation.key, connection: request.connection,
      owners: request.owners, row: request.situation.row.name,
      terminalObjection: request.terminalObjection,
      mayBeRemembered: request.situation.remembersAnswer,
      device: request.situation.handler.device)
    guard request.isInteractive else {
      onFail?(
        id,
        .confirmationUnavailable(
          "the user must confirm this open, but its option 'interactive' does not allow a question. "
            + question.nextStep))
      return
    }
    do throws(OpenFailure) {
      requests[id] = request
      perform(try queue.begin(question, means(request)))
    } catch {
      fail(id, error)
    }
  }

  /// Whether the open waits for the user.
  func isWaiting(_ id: RequestID) -> Bool { queue.isWaiting(id) }

  /// Withdraws the question when the open is settled without the user.
  func cancel(_ id: RequestID) {
    perform(queue.cancel(id))
    requests[id] = nil
  }

  /// Withdraws all questions.
  func cancelAll() {
    perform(queue.cancelAll())
    requests = [:]
  }

  /// Removes the agents of a closed connection.
  func left(_ connection: String) {
    agents.remove(connection)
    notifications.left(connection)
  }

  private func means(_ request: Request) -> [ConfirmationQueue.Means] {
    ConfirmationQueue.Means.allCases.filter { means in
      switch means {
      case .agent: agents.current != nil
      case .terminal: request.terminal != nil
      case .notification: true
      }
    }
  }

  private func perform(_ effects: [ConfirmationQueue.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let id, let means): ask(id, means)
      case .withdraw(let id, let means): withdraw(id, means)
      case .remember(let key, let isAllowed): store.remember(key, isAllowed)
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

  private func answered(_ id: RequestID, _ event: ConfirmationQueue.Event) {
    perform(queue.handle(event, of: id))
  }
}

// MARK: - Means

extension ConfirmationService {
  private func ask(_ id: RequestID, _ means: ConfirmationQueue.Means) {
    guard let request = requests[id] else {
      return answered(id, .unavailable("the open is no longer pending"))
    }
    let situation = request.situation
    let question = ConfirmationQuestion(
      id: "\(id.number)", approval: situation.key, origin: situation.origin.rawValue,
      url: request.subject.onOneLine, handlerName: situation.handler.visibleName.onOneLine,
      question: situation.sentence(request.subject),
      mayBeRemembered: situation.remembersAnswer)
    switch means {
    case .agent, .terminal:
      guard let agent = agent(means, request) else {
        return answered(id, .unavailable("the \(means.rawValue) has disconnected"))
      }
      asked[id] = agent
      session(agent.connection).call(
        agent.call("Confirm", [.options(question.dictionary)]), deadline: .seconds(settings.timeout)
      ) { [weak self] answer in
        guard let self else { return }
        let event = event(answer, means)
        if case .timedOut = event {} else { asked[id] = nil }  // kept to withdraw the question
        answered(id, event)
      }
    case .notification:
      notifications.ask(id, question, seconds: settings.timeout) { [weak self] event in
        self?.answered(id, event)
      }
    }
  }

  private func agent(
    _ means: ConfirmationQueue.Means, _ request: Request
  ) -> ConfirmationAgent? {
    guard means == .terminal else { return agents.current }
    return request.terminal.map { ConfirmationAgent(connection: request.connection, path: $0) }
  }

  private func event(
    _ answer: Result<[Value], BusError>, _ means: ConfirmationQueue.Means
  ) -> ConfirmationQueue.Event {
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

  private func withdraw(_ id: RequestID, _ means: ConfirmationQueue.Means) {
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
  /// Adds an agent that asks the user.
  /// - Parameter executable: the caller's program, for the log.
  func addAgent(
    at path: ObjectPath, of connection: String, executable: String
  ) throws(BusError) {
    try agents.add(ConfirmationAgent(connection: connection, path: path))
    journal.notice("a confirmation agent has registered", ["caller": executable])
  }

  var approvals: [Approval] { store.approvals.entries.map { Approval($0, isAllowed: $1) } }

  /// Remembers answers. Returns when they are stored.
  func set(_ changes: [Approval]) async throws(BusError) {
    try await store.change { approvals throws(BusError) in
      for approval in changes where !approvals.set(approval.key, approval.isAllowed) {
        throw OpenFailure.limitExceeded(
          "\(Approvals.most) answers are remembered, which is the limit"
        ).busError
      }
    }
  }

  /// Forgets answers. Nil stands for any value.
  /// - Returns: the number of forgotten answers.
  func reset(
    opener: Approvals.Opener?, scheme: URLScheme?, handler: BundleIdentifier?
  ) async throws(BusError) -> Int {
    var count = 0
    try await store.change { approvals throws(BusError) in
      count = approvals.reset(opener: opener, scheme: scheme, handler: handler)
    }
    return count
  }

  /// Forgets the answers about a remote that the user has removed. The next remote with its name may be another machine.
  func forgetAnswers(about remote: RemoteName) { store.forget(.remote(remote)) }

  /// Stores the remembered answers again after the file was removed.
  func storeAgain() throws(FileError) { try store.storeAgain() }
}
