internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

// CanOpenURL, OpenURL and what belongs to them.

extension Daemon {
  func acting(_ caller: Caller, as name: String?) throws(BusError) -> ActingCaller {
    var wanted: BundleIdentifier?
    if let name {
      guard let identifier = BundleIdentifier(name) else {
        throw .invalidArguments("option 'as': \(name) is not a bundle identifier")
      }
      wanted = identifier
    }
    do throws(ActingNotPermitted) {
      return try ActingCaller.resolve(caller, as: wanted)
    } catch {
      throw OpenFailure.notPermitted(error.description).busError
    }
  }

  func identifier(_ text: String, _ argument: String) throws(BusError) -> BundleIdentifier {
    try BundleIdentifier(argument: text, argument)
  }

  // MARK: CanOpenURL

  func canOpen(
    _ text: String, _ options: QueryOptions, _ caller: Caller, _ sender: String
  ) throws(BusError) -> Bool {
    let acting = try acting(caller, as: options.actAs)
    let url = try? RequestedURL(text, longest: settings.opens.maximumURLLength)
    let answer = store.canOpen(url?.scheme, acting)
    if let line = answer.logLine(for: text) {
      var subject = ["caller": recordedName(of: caller, on: sender)]
      subject["application"] = acting.identifier?.text
      if let hint = answer.hint {
        journal.notice(line, ["hint": "\(hint)"], about: subject)
      } else {
        journal.notice(line, about: subject)
      }
    }
    return answer.isYes
  }

  // MARK: OpenURL

  func open(
    _ text: String, _ options: OpenOptions, _ caller: Caller, _ call: PendingCall
  ) throws(BusError) {
    if DocumentURL.isOne(text) {
      return try openDocuments([text], options, caller, call, isSingle: true)
    }
    let subject = subject(text)
    let (question, url) = try recordingRefusal(of: subject, caller, call) {
      () throws(BusError) -> (OpenRule.Question, RequestedURL) in
      let acting = try self.acting(caller, as: options.actAs)
      let designated = try self.designated(options, acting)
      let url = try submitting { () throws(OpenFailure) in
        try RequestedURL(text, longest: settings.opens.maximumURLLength)
      }
      let question = OpenRule.Question(
        url.subject, caller: caller, acting: acting, designated: designated,
        universalLinksOnly: options.universalLinksOnly, finding: finding(call.sender),
        isLink: options.isLink)
      return (question, url)
    }
    let name = requestName(options, caller, on: call.sender)
    let asked = Asked(
      question: question, payload: .url(url.text), subject: subject, name: name,
      fingerprint: RequestFingerprint(
        .url, url.text, designated: question.designated, newInstance: options.newInstance),
      options: options, waiter: Waiter(call))
    try afterLookingFor(name, options, call) { [self] found throws(BusError) in
      try submit(asked, found) { decide(question, url.text, from: call.sender, isCounted: true) }
    }
  }

  /// What the rules say about an open.
  /// - Parameters:
  ///   - url: what a redirect loop is known by; nil for what is no URL.
  ///   - isCounted: false when nothing is opened.
  func decide(
    _ question: OpenRule.Question, _ url: String?, from sender: String, isCounted: Bool
  ) -> OpenRule.Decision {
    let decision = OpenRule.decide(
      question, in: registry, by: policies(question, url, from: sender, isCounted: isCounted))
    if isCounted, let missing = decision.missing {
      // Apple's systems tell their user (R2.11).
      journal.notice(
        "\(missing.name) is not installed", ["scheme": question.scheme?.text ?? ""],
        about: ["caller": recordedName(of: question.caller, on: sender)])
    }
    return decision
  }

  private func policies(
    _ question: OpenRule.Question, _ url: String?, from sender: String, isCounted: Bool
  ) -> OpenRule.Policies {
    OpenRule.Policies(links: links.rule, confirmations: confirmations.rule, site: links.site) {
      [self] application in
      guard let url, let scheme = question.scheme, application.declaration.isDesktopBridge,
        let facts = callers.facts(of: sender)
      else { return nil }
      let bridge = supervisor.instance(startedAs: facts.ancestry)
      return redirectLoops.failure(
        url, scheme,
        .init(
          wasBridged: bridge.map { deliveries.wasBridged(url, to: $0) } ?? false,
          hops: facts.hops),
        isCounted: isCounted)
    }
  }

  /// Whether the caller may act for a page in a browser.
  func finding(_ sender: String) -> WebOrigin.Finding {
    callers.facts(of: sender)?.finding ?? .browser
  }

  /// The application that the options choose; nil when they choose none.
  func designated(
    _ options: OpenOptions, _ acting: ActingCaller
  ) throws(BusError) -> BundleIdentifier? {
    guard options.ownApplication else {
      return try options.application.map { name throws(BusError) in
        try identifier(name, "option 'application'")
      }
    }
    guard let own = acting.identifier, options.application == nil else {
      throw .invalidArguments(
        "option 'own-application' is for a process of a registered application, and not together"
          + " with 'application'")
    }
    return own
  }

  func performQuickAction(
    _ name: String, _ type: String, _ options: OpenOptions, _ caller: Caller, _ call: PendingCall
  ) throws(BusError) {
    let identifier = try identifier(name, "bundle_id")
    let subject = "\(identifier) \(subject(type))"
    let (decision, question) = try recordingRefusal(of: subject, caller, call) {
      () throws(BusError) -> (OpenRule.Decision, OpenRule.Question) in
      let acting = try self.acting(caller, as: options.actAs)
      let question = OpenRule.Question(
        .quickAction(of: identifier), caller: caller, acting: acting)
      let decision = decide(question, nil, from: call.sender, isCounted: true)
      _ = try submitting(decision.outcome.get)
      return (decision, question)
    }
    let action = try submitting(decision.outcome.get).application
    let request = requestName(options, caller, on: call.sender)
    let asked = Asked(
      question: question, payload: .quickAction(try quickAction(type, of: action)),
      subject: subject, name: request,
      fingerprint: RequestFingerprint(
        .quickAction, type, designated: identifier, newInstance: options.newInstance),
      options: options, waiter: Waiter(call))
    try afterLookingFor(request, options, call) { [self] found throws(BusError) in
      try submit(asked, found) { decision }
    }
  }

  func submitting<Result>(
    _ body: () throws(OpenFailure) -> Result
  ) throws(BusError) -> Result {
    do throws(OpenFailure) {
      return try body()
    } catch {
      throw error.busError
    }
  }

  /// One call that wants something delivered.
  struct Asked {
    var question: OpenRule.Question
    var payload: PendingOpen.Payload
    /// What is recorded of the payload.
    let subject: String
    /// Under what it is found again; nil for nothing.
    let name: RequestName?
    let fingerprint: RequestFingerprint
    var options: OpenOptions
    let waiter: Waiter
  }

  /// Accepts it, unless it is a repetition of what was accepted before.
  /// - Parameter found: what was known of its name a moment ago.
  func submit(
    _ asked: Asked, _ found: RequestFound, deciding decide: () -> OpenRule.Decision
  ) throws(BusError) {
    let caller = recordedName(of: asked.question.caller, on: asked.waiter.sender)
    switch try repetition(asked, found) {
    case .answered: return
    case .again(let application, let entry):
      let policies = policies(asked.question, nil, from: asked.waiter.sender, isCounted: false)
      let opening = OpenRule.repetition(
        of: asked.question, with: application, in: registry, by: policies)
      try submitting { () throws(OpenFailure) in try accept(asked, caller, opening, again: entry) }
    case .new:
      try recordingRefusal(of: asked.subject, asked.question.caller, asked.waiter.call) {
        () throws(BusError) in
        try submitting { () throws(OpenFailure) in
          try accept(asked, caller, try decide().outcome.get())
        }
      }
    }
  }

  private func accept(
    _ asked: Asked, _ caller: String, _ opening: OpenRule.Opening, again known: RequestEntry? = nil
  ) throws(OpenFailure) {
    let application = opening.application
    var payload = asked.payload
    if opening.form == .userActivity, case .url(let url) = payload { payload = .userActivity(url) }
    var options = asked.options
    if registry.sandboxed(asked.question.caller) != nil {
      // Sandboxed callers have no say in how another application starts (R6.8).
      options.arguments = []
      options.environment = [:]
      options.dropStreams()
    }
    let share = share(of: asked.question.caller, on: asked.waiter.sender)
    let refusal = admissionRule.refusal(
      of: PendingOpen.load(of: payload, options), for: application.identifier,
      besides: opens.underWay(of: share, for: application.identifier))
    if let refusal { throw refusal }
    if options.newInstance { try admitInstance(of: share) }
    if let id = options.cancellationID, opens.isTaken(id, by: asked.waiter) {
      throw .notPermitted("an open with the cancellation-id \(id) is under way already")
    }
    let request = OpenRequest(
      known.map { RequestID($0.number) } ?? opens.nextRequest(), payload.kind,
      activates: options.activate, mayHaveArrived: known != nil)
    let effects =
      opening.unconfirmed == nil
      ? try lifecycles.open(
        request, with: application, newInstance: options.newInstance, orAmong: slots(options)) : []
    let open = PendingOpen(
      payload: payload, handler: application, options: options, source: opening.source,
      waiter: asked.waiter, share: share,
      entry: known ?? entry(request.id, asked, application.identifier, caller),
      isRepeated: known != nil)
    if let scheme = asked.question.scheme, opening.form == .asOpened {
      open.hops = BridgeHops.next(scheme, after: callers.facts(of: asked.waiter.sender)?.hops)
    }
    open.unconfirmed = opening.unconfirmed.map { _ in request }
    opens.add(request.id, open)
    if known == nil, open.isNamed { requests.note(open.entry) { open.isRecorded = $0 } }
    guard let situation = opening.unconfirmed else { return perform(effects) }
    opens.note(request.id, "confirming")
    let mayUseTerminal = ConfirmationRule.believesTerminal(
      of: asked.question.caller, situation.origin)
    confirmations.begin(
      request.id,
      .init(
        situation: situation, subject: asked.subject, connection: asked.waiter.sender,
        terminal: mayUseTerminal ? options.confirmationAgent : nil,
        isInteractive: options.interactive))
  }

  /// The user has confirmed the open.
  func confirmed(_ id: RequestID) {
    guard let open = opens[id], let request = open.unconfirmed else { return }
    opens.note(id, "confirmed")
    do throws(OpenFailure) {
      let application = try registry.installed(open.handler)
      perform(
        try lifecycles.open(
          request, with: application, newInstance: open.options.newInstance,
          orAmong: slots(open.options)))
    } catch {
      fail(id, error)
    }
  }

  /// The processes that may get an open with `new-instance` instead of another new one.
  func slots(_ options: OpenOptions) -> [InstanceSlot] {
    options.instances.compactMap { pid in
      supervisor.instance(running: Int32(truncatingIfNeeded: pid))?.slot
    }
  }
}
