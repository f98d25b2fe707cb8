internal import BusContract
internal import DBus
internal import DBusMainLoop
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
      let application = try registry.installed(open.handler)
      perform(
        try lifecycles.open(
          request, with: application, newInstance: open.options.newInstance,
          orAmong: seats(open.options)))
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
}
