internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

// Opens that wait for the user (R4.15): who is asked is found out, and what the rules say is done.

/// An open that must be confirmed, and what is needed to go on with it.
struct Unconfirmed {
  let situation: ConfirmationRule.Situation
  let request: OpenRequest
  /// What the user is shown of the URL.
  let subject: String
}

extension Daemon {
  /// Where an open of this caller comes from.
  func origin(of sender: String, _ acting: ActingCaller) -> ConfirmationTable.Origin {
    WebOrigin.origin(
      isFromBrowser: callers.facts(of: sender)?.isFromBrowser ?? true, opener: opener(acting))
  }

  func opener(_ acting: ActingCaller) -> InstalledApplication? {
    acting.identifier.flatMap(dispatcher.registry.application)
  }

  /// Where a page asks, an application that is only named does not count.
  func situation(
    _ scheme: URLScheme, _ acting: ActingCaller, _ sender: String,
    _ handler: InstalledApplication
  ) -> ConfirmationRule.Situation {
    let origin = origin(of: sender, acting)
    var opener = opener(acting)
    if origin == .web, case .named = acting { opener = nil }
    return ConfirmationRule.Situation(
      scheme: scheme, opener: opener, origin: origin, handler: handler)
  }

  /// Nil when the open may go on.
  func confirmation(
    _ scheme: URLScheme, _ acting: ActingCaller, _ sender: String,
    _ application: InstalledApplication
  ) throws(OpenFailure) -> ConfirmationRule.Situation? {
    let situation = situation(scheme, acting, sender, application)
    switch confirmationRule.decide(situation) {
    case .proceed: return nil
    case .decline(let why): throw .confirmationDeclined(why)
    case .ask: return situation
    }
  }

  /// Asks the user about an open that waits in `opens`.
  func confirm(_ id: RequestID, _ caller: Caller) {
    guard let open = opens[id], let unconfirmed = open.unconfirmed else { return }
    opens.note(id, "confirming")
    do throws(OpenFailure) {
      guard open.options.interactive else {
        throw .confirmationUnavailable(
          "the user must confirm this open, and its option 'interactive' forbids to ask")
      }
      let question = ConfirmationDesk.Question(
        request: id, key: unconfirmed.situation.key, connection: open.waiter.sender)
      perform(try confirmations.begin(question, means(open, caller, unconfirmed.situation.origin)))
    } catch {
      fail(id, error)
    }
  }

  /// The terminal is only believed when it is not an application's or a browser's: those would
  /// answer for the user.
  private func means(
    _ open: PendingOpen, _ caller: Caller, _ origin: ConfirmationTable.Origin
  ) -> [ConfirmationDesk.Means] {
    let hasTerminal =
      open.options.confirmationAgent != nil && caller == .unidentified && origin == .application
    return ConfirmationDesk.Means.allCases.filter { means in
      switch means {
      case .agent: agents.current != nil
      case .terminal: hasTerminal
      case .notification: true
      }
    }
  }

  func perform(_ effects: [ConfirmationDesk.Effect]) {
    for effect in effects {
      switch effect {
      case .ask(let id, let means): ask(id, means)
      case .withdraw(let id, let means): withdraw(id, means)
      case .remember(let key, let isAllowed): remember(key, isAllowed)
      case .proceed(let id): confirmed(id)
      case .fail(let id, let failure): fail(id, failure)
      }
    }
  }

  private func answered(_ id: RequestID, _ event: ConfirmationDesk.Event) {
    perform(confirmations.handle(event, of: id))
  }

  private func confirmed(_ id: RequestID) {
    guard let open = opens[id], let request = open.unconfirmed?.request else { return }
    opens.note(id, "confirmed")
    do throws(OpenFailure) {
      let application = try dispatcher.installed(open.handler)
      perform(
        try dispatcher.open(request, with: application, newInstance: open.options.newInstance))
    } catch {
      fail(id, error)
    }
  }

  // MARK: Means

  private func ask(_ id: RequestID, _ means: ConfirmationDesk.Means) {
    guard let open = opens[id], let unconfirmed = open.unconfirmed else {
      return answered(id, .unavailable("the open has gone"))
    }
    let situation = unconfirmed.situation
    let question = ConfirmationQuestion(
      id: "\(id.number)", approval: situation.key, origin: situation.origin.rawValue,
      url: unconfirmed.subject, handlerName: situation.handler.declaration.visibleName,
      question: situation.sentence(unconfirmed.subject))
    switch means {
    case .agent, .terminal:
      guard let agent = agent(means, open) else {
        return answered(id, .unavailable("the \(means.rawValue) has gone"))
      }
      agentsAsked[id] = agent
      session(of: agent.connection).call(
        agent.call("Confirm", [.options(question.dictionary)]),
        deadline: .seconds(settings.confirmationTimeout)
      ) { [weak self] answer in
        guard let self else { return }
        let event = event(answer, means)
        if case .timedOut = event {} else { agentsAsked[id] = nil }  // it is to be withdrawn
        answered(id, event)
      }
    case .notification:
      notices.ask(id, question, seconds: settings.confirmationTimeout) { [weak self] event in
        self?.answered(id, event)
      }
    }
  }

  private func agent(_ means: ConfirmationDesk.Means, _ open: PendingOpen) -> ConfirmationAgent? {
    guard means == .terminal else { return agents.current }
    guard let path = open.options.confirmationAgent else { return nil }
    return ConfirmationAgent(connection: open.waiter.sender, path: path)
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
      return .timedOut(seconds: settings.confirmationTimeout)
    case .failure(let error): return .unavailable("the \(means.rawValue) failed: \(error.text)")
    }
  }

  private func withdraw(_ id: RequestID, _ means: ConfirmationDesk.Means) {
    switch means {
    case .agent, .terminal:
      guard let agent = agentsAsked.removeValue(forKey: id) else { return }
      session(of: agent.connection).send(
        agent.call("Withdraw", [.string("\(id.number)")], expectsReply: false))
    case .notification: notices.withdraw(id)
    }
  }

  // MARK: Answers for good

  private func remember(_ key: Approvals.Key, _ isAllowed: Bool) {
    guard confirmationRule.approvals.set(key, isAllowed) else {
      return journal.warning(
        "the answer is not remembered: there are too many", ["limit": "\(Approvals.most)"])
    }
    do throws(FileError) {
      try approvalFile.write(ApprovalState(confirmationRule.approvals))
    } catch {
      journal.error("the answer cannot be stored", ["reason": "\(error)"])
    }
  }

  /// Who shows a notification answers for the user.
  func isNoApplication(_ connection: String) async -> Bool {
    await withCheckedContinuation { continuation in
      callers.withFacts(of: connection) { [weak self] facts in
        guard let self, let facts = try? facts.get() else {
          return continuation.resume(returning: false)
        }
        continuation.resume(
          returning: !facts.isFromBrowser && caller(connection, facts) == .unidentified)
      }
    }
  }

  func confirmationAnswer(
    _ request: IncomingCall, _ caller: Caller, _ sender: String
  ) throws(BusError) -> [Value] {
    switch caller {
    case .application(let own, _) where dispatcher.registry.application(own)?.isSystem != true:
      throw RegistrationFailure.notPermitted(
        "\(own) is an application, and the user's answers are not its to give"
      ).busError
    case .orphan:
      throw RegistrationFailure.notPermitted(
        "the caller descends from an application, and the user's answers are not its to give"
      ).busError
    case .application, .unidentified: break
    }
    guard callers.facts(of: sender)?.isFromBrowser == false else {
      throw RegistrationFailure.notPermitted(
        "the caller was started by a browser, and the user's answers are not a page's to give"
      ).busError
    }
    switch request {
    case .registerAgent(let path):
      try agents.add(ConfirmationAgent(connection: sender, path: path))
      journal.notice(
        "a confirmation agent has registered",
        ["caller": callers.facts(of: sender)?.executable?.path ?? "?"])
      return []
    case .approvals:
      let entries = confirmationRule.approvals.entries.map { Approval($0, isAllowed: $1) }
      return [.optionsList(entries.map(\.dictionary))]
    case .setApprovals(let approvals):
      try changeApprovals { rule throws(BusError) in
        for approval in approvals where !rule.set(approval.key, approval.isAllowed) {
          throw OpenFailure.limitExceeded(
            "\(Approvals.most) answers are remembered, which is the limit"
          ).busError
        }
      }
      return []
    case .resetApprovals(let opener, let scheme, let handler):
      var count = 0
      try changeApprovals { rule throws(BusError) in
        count = rule.reset(opener: opener, scheme: scheme, handler: handler)
      }
      return [.uint32(UInt32(count))]
    default: preconditionFailure("\(request) is not a call of Confirmation1")
    }
  }

  /// All or nothing.
  private func changeApprovals(
    _ change: (inout Approvals) throws(BusError) -> Void
  ) throws(BusError) {
    var approvals = confirmationRule.approvals
    try change(&approvals)
    do throws(FileError) {
      try approvalFile.write(ApprovalState(approvals))
    } catch {
      throw .failed("the change could not be stored: \(error)")
    }
    confirmationRule.approvals = approvals
  }
}

/// What the user answered for good: opener, scheme, handler.
nonisolated struct ApprovalState: Codable, Sendable {
  var approvals: [String: [String: [String: Bool]]] = [:]

  init() {}

  init(_ approvals: Approvals) {
    for (key, isAllowed) in approvals.entries {
      self.approvals["\(key.opener)", default: [:]][key.scheme.text, default: [:]][
        key.handler.text] = isAllowed
    }
  }

  /// What cannot be read, or is too much, is left out: the user is asked again.
  func value(_ journal: Journal) -> Approvals {
    let count = approvals.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } }
    var entries: [Approvals.Key: Bool] = [:]
    for (opener, schemes) in approvals {
      for (scheme, handlers) in schemes {
        for (handler, isAllowed) in handlers {
          guard let opener = Approvals.Opener(opener), let scheme = URLScheme(scheme),
            let handler = BundleIdentifier(handler)
          else { continue }
          entries[Approvals.Key(opener: opener, scheme: scheme, handler: handler)] = isAllowed
        }
      }
    }
    let value = Approvals(entries)
    if value.entries.count < count {
      journal.warning(
        "remembered answers are left out: they cannot be read, or are too many",
        ["left-out": "\(count - value.entries.count)", "limit": "\(Approvals.most)"])
    }
    return value
  }

  /// In bytes, as much as the limit of answers can need: three names of 255 bytes each.
  static let largest = 16 << 20
}
