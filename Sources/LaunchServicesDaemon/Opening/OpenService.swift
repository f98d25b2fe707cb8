internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DaemonSettings
internal import Host
internal import LaunchRules
internal import Records
internal import SystemSchemes

/// Accepts and cancels opens of URLs, quick actions and applications. `DocumentOpenService` opens documents.
final class OpenService {
  private let limits: OpenLimits
  private let store: RegistryStore
  private let decider: OpenDecider
  private let confirmations: ConfirmationService
  private let quickActions: DynamicQuickActions
  private let opens: PendingOpens
  private let requestLookup: RequestLookup
  private let history: RequestHistory
  private let coordinator: OpenCoordinator
  private let callbacks: LoginCallbacks?
  /// Whether the session has a display, so that the display of an opener does not count.
  private let hasDisplay: Bool
  /// Whether a connection is open.
  private let isConnected: (String) -> Bool

  init(
    limits: OpenLimits, store: RegistryStore, decider: OpenDecider,
    confirmations: ConfirmationService, quickActions: DynamicQuickActions,
    opens: PendingOpens, requestLookup: RequestLookup, history: RequestHistory,
    coordinator: OpenCoordinator, hasDisplay: Bool, callbacks: LoginCallbacks? = nil,
    isConnected: @escaping (String) -> Bool
  ) {
    self.limits = limits
    self.store = store
    self.decider = decider
    self.confirmations = confirmations
    self.quickActions = quickActions
    self.opens = opens
    self.requestLookup = requestLookup
    self.history = history
    self.coordinator = coordinator
    self.callbacks = callbacks
    self.hasDisplay = hasDisplay
    self.isConnected = isConnected
  }

  private var admissionRule: AdmissionRule {
    AdmissionRule(
      mostOpens: limits.maximumOpensPerCaller, longestQueue: limits.maximumQueueLength,
      mostBytes: limits.maximumPendingBytes)
  }

  // MARK: Calls

  /// Opens a URL that is not a file URL.
  func openURL(
    _ text: String, _ options: OpenOptions, _ caller: IdentifiedCaller, _ call: PendingCall
  ) throws(BusError) -> Reply {
    let subject = history.subject(text)
    let (question, url, handedOn) = try history.recordingRefusal(of: subject, caller) {
      () throws(BusError) -> (OpenRule.Question, RequestedURL, String) in
      let conditions = try OpenConditions(options, caller)
      let url = try withBusErrors { () throws(OpenFailure) in
        try options.anyCharacters
          ? RequestedURL(anyCharacters: text, longest: limits.maximumURLLength)
          : RequestedURL(text, longest: limits.maximumURLLength)
      }
      let (question, checked) = decider.question(about: url, conditions)
      return (question, url, checked.text)
    }
    let name = try requestLookup.name(options.requestID, of: caller)
    let submission = OpenSubmission(
      caller: caller, question: question, payload: .url(handedOn), subject: subject, name: name,
      fingerprint: name.map { _ in
        RequestFingerprint(
          .url, url.text, designated: question.designated, device: question.device,
          newInstance: options.newInstance)
      },
      options: options, reply: reply(to: call, caller))
    func submit(
      knowing devices: DeviceList?, _ problem: CallbackProblem? = nil
    ) throws(BusError) -> Reply {
      var submission = submission
      submission.callbackProblem = problem
      return try self.submit(submission) { [decider] in
        decider.decide(
          question, handedOn, of: caller, isCounted: true, devices: devices,
          hasTerminal: options.confirmationAgent != nil)
      }
    }
    if decider.needsDevices(question.device, url.scheme) {
      return .pendingAfter { [decider, coordinator] () async throws(BusError) in
        let found = await decider.devices(named: question.device)
        guard !coordinator.isStopped else { return }
        if case .pendingAfter(let work) = try submit(knowing: found) { try await work() }
      }
    }
    // The port of an open that the user is asked about is forwarded after the answer.
    guard let callbacks, case .remote = caller.caller,
      case .success(let opening) = decider.decide(
        question, handedOn, of: caller, isCounted: false
      ).outcome, opening.unconfirmed == nil,
      let callback = callbacks.callback(of: handedOn, by: caller.caller)
    else { return try submit(knowing: nil) }
    // The browser may be led to the port at once.
    return .pendingAfter { [coordinator] () async throws(BusError) in
      let problem = await callbacks.forward(callback, for: caller.caller)
      guard !coordinator.isStopped else { return }
      if case .pendingAfter(let work) = try submit(knowing: nil, problem) { try await work() }
    }
  }

  func performQuickAction(
    _ name: String, _ type: String, _ options: OpenOptions, _ caller: IdentifiedCaller,
    _ call: PendingCall
  ) throws(BusError) -> Reply {
    let identifier = try BundleIdentifier(argument: name, "bundle_id")
    let subject = "\(identifier) \(history.subject(type))"
    let (question, decision, application) = try history.recordingRefusal(of: subject, caller) {
      () throws(BusError) -> (OpenRule.Question, OpenRule.Decision, InstalledApplication) in
      let acting = try caller.acting(as: options.actAs)
      let question = OpenConditions(
        caller: caller, acting: acting, device: options.device
      ).question(
        .quickAction(of: identifier))
      let decision = decider.decide(question, nil, of: caller, isCounted: true)
      return (question, decision, try decision.application())
    }
    let submission = OpenSubmission(
      caller: caller, question: question,
      payload: .quickAction(try quickActions.action(type, of: application)), subject: subject,
      name: try requestLookup.name(options.requestID, of: caller),
      fingerprint: RequestFingerprint(
        .quickAction, type, designated: identifier, newInstance: options.newInstance),
      options: options, reply: reply(to: call, caller))
    return try submit(submission) { decision }
  }

  /// Starts an application without a URL, or brings it to the front (R6.15).
  func openApplication(
    _ name: String, _ options: OpenOptions, _ caller: IdentifiedCaller, _ call: PendingCall
  ) throws(BusError) -> Reply {
    let identifier = try BundleIdentifier(argument: name, "bundle_id")
    let (question, decision) = try history.recordingRefusal(of: identifier.text, caller) {
      () throws(BusError) -> (OpenRule.Question, OpenRule.Decision) in
      let acting = try caller.acting(as: options.actAs)
      let question = OpenConditions(
        caller: caller, acting: acting, device: options.device
      ).question(
        .application(identifier))
      return (question, decider.decide(question, nil, of: caller, isCounted: true))
    }
    let submission = OpenSubmission(
      caller: caller, question: question, payload: .application(), subject: identifier.text,
      name: try requestLookup.name(options.requestID, of: caller),
      fingerprint: RequestFingerprint(
        .application, "", designated: identifier, newInstance: options.newInstance),
      options: options, reply: reply(to: call, caller))
    return try submit(submission) { decision }
  }

  private func reply(to call: PendingCall, _ caller: IdentifiedCaller) -> PendingReply {
    PendingReply(call, store.registry.sandboxed(caller.caller))
  }

  // MARK: Acceptance

  private func submit(
    _ submission: OpenSubmission, deciding decide: @escaping () -> OpenRule.Decision
  ) throws(BusError) -> Reply {
    try requestLookup.afterLookingFor(
      submission.name, isRepeated: submission.options.isRepeated
    ) { [self] found throws(BusError) in
      try submit(submission, found, deciding: decide)
    }
  }

  /// Accepts an open, unless it repeats an open that was accepted before.
  /// - Parameter found: the result of the lookup of its name, from just before this call.
  func submit(
    _ submission: OpenSubmission, _ found: RequestFound, deciding decide: () -> OpenRule.Decision
  ) throws(BusError) {
    switch try requestLookup.find(submission, found) {
    case .answered: return
    case .again(let application, let entry):
      let opening = decider.repetition(
        of: submission.question, with: application, submission.caller)
      try withBusErrors { () throws(OpenFailure) in
        try accept(submission, opening, again: entry)
      }
    case .againToDevice(let entry):
      guard case .success(let opening) = decide().outcome,
        case .device(let device, _) = opening.receiver, device.transport == .ssh,
        device.handlerName == entry.handler
      else { return try requestLookup.answerUnknown(entry, submission.reply) }
      try withBusErrors { () throws(OpenFailure) in
        try accept(submission, opening.confirmed, again: entry)
      }
    case .new:
      let decision = decide()
      try history.recordingRefusal(
        of: submission.subject, submission.caller, chosen: decision.application
      ) { () throws(BusError) in
        try withBusErrors { () throws(OpenFailure) in
          try accept(submission, try decision.outcome.get())
        }
      }
    }
  }

  private func accept(
    _ submission: OpenSubmission, _ opening: OpenRule.Opening, again known: RequestEntry? = nil
  ) throws(OpenFailure) {
    let open = try pendingOpen(submission, opening, again: known)
    if let problem = submission.callbackProblem { open.record(problem.step) }
    if let limit = open.options.validFor {
      let id = open.request.id
      open.expire(
        at: Deadline(after: .milliseconds(limit), countsSuspension: true) { [unowned self] in
          giveUp(
            id,
            .cancelled("the \(limit) ms of the option valid-for passed before the delivery began"))
        })
    }
    if let situation = opening.unconfirmed {
      // The decision did not know whether the open starts a process beside one that runs. A failure before the answer would
      // tell an opener outside of the session which applications there are.
      if situation.remote == nil, let started = try coordinator.check(open),
        let failure = decider.failure(ofStarting: started)
      {
        throw failure
      }
      confirm(open, submission, situation)
    } else {
      try coordinator.begin(open)
    }
    if open.options.isLegacy { submission.reply.accept(open.entry.number) }
  }

  private func confirm(
    _ open: PendingOpen, _ submission: OpenSubmission, _ situation: ConfirmationRule.Situation
  ) {
    let id = open.request.id
    opens.add(id, open)
    opens.record(id, "confirming")
    let objection = TerminalRule.objection(
      toTerminalOf: submission.caller.caller, about: situation.origin)
    let terminal = open.options.confirmationAgent
    confirmations.begin(
      id,
      .init(
        situation: situation, subject: submission.question.format.shown ?? submission.subject,
        connection: submission.caller.connection,
        owners: [submission.caller.share] + submission.caller.groups,
        terminal: objection == nil ? terminal : nil,
        terminalObjection: terminal == nil ? nil : objection,
        isInteractive: ConfirmationRule.isAsked(
          isInteractive: open.options.interactive,
          by: store.registry.sandboxed(submission.caller.caller))))
  }

  private func pendingOpen(
    _ submission: OpenSubmission, _ opening: OpenRule.Opening, again known: RequestEntry?
  ) throws(OpenFailure) -> PendingOpen {
    let (receiver, caller) = (opening.receiver, submission.caller)
    var payload = submission.payload
    if opening.form == .userActivity, case .url(let url) = payload { payload = .userActivity(url) }
    if opening.form == .withoutURL { payload = .application(isInPlaceOfURL: true) }
    var options = submission.options
    let sandboxed = store.registry.sandboxed(caller.caller)
    let mayShapeLaunch = AccessRule.mayShapeLaunch(sandboxed)
    if let refusal = AccessRule.launchRefusal(
      of: sandboxed, shapesProcess: options.shapesProcess, newInstance: options.newInstance)
    {
      throw refusal
    }
    if !mayShapeLaunch {
      options.arguments = []
      options.environment = [:]
      options.dropStreams()
    }
    if submission.question.acting.remote != nil { options.activationToken = nil }
    let refusal = admissionRule.refusal(
      of: PendingOpen.load(of: payload, options), for: receiver.identifier,
      besides: opens.underWay(
        of: caller.share, in: caller.groups, for: receiver.identifier))
    if let refusal { throw refusal }
    if let objection = Self.objection(to: options, for: receiver) { throw objection }
    if let id = options.cancellationID, opens.isTaken(id, by: submission.reply) {
      throw .notPermitted("an open with the cancellation-id \(id) is under way already")
    }
    let bridged = opening.form == .asOpened ? submission.question.scheme : nil
    return PendingOpen(
      payload: payload, receiver: receiver, options: options, source: opening.source,
      reply: submission.reply, share: caller.share, groups: caller.groups,
      entry: known
        ?? history.entry(
          opens.nextRequest().number, submission, for: receiver),
      isRepeated: known != nil,
      passage: bridged.map { scheme in
        .init(
          hops: BridgeHops.next(scheme, after: caller.facts.hops),
          canLoop: BridgeRepetitions.canLoop(scheme, caller.facts.finding))
      } ?? .init(),
      display: mayShapeLaunch && !hasDisplay ? caller.facts.display : [:])
  }

  /// The failure for options that the process of the receiver could not have.
  private static func objection(
    to options: OpenOptions, for receiver: Receiver
  ) -> OpenFailure? {
    switch receiver {
    case .application(let application):
      ProcessOptionsRule.refusal(
        arguments: !options.arguments.isEmpty, streams: options.hasStreams,
        newInstance: options.newInstance, waits: options.waitsForExit, for: application)
    case .device(let device, let rule):
      DeviceRule.refusal(
        ofProcessOptions: options.shapesProcess || options.newInstance || options.hidden
          || options.fresh || options.waitsForExit, for: device, sentBy: rule)
    case .nobody: nil
    }
  }

  // MARK: Cancelling

  /// Cancels the opens of the caller that have this `cancellation-id`.
  /// - Returns: whether one of them has been delivered to an application.
  func cancel(_ id: String, _ caller: IdentifiedCaller) throws(BusError) -> Reply {
    let requests = opens.find(sender: caller.connection, cancellationID: id)
    guard !requests.isEmpty else {
      throw .invalidArguments("cancellation_id: no open of this caller has the identifier \(id)")
    }
    let wasHandedOver = requests.contains { opens[$0]?.wasHandedOver ?? false }
    return .answering([.boolean(wasHandedOver)]) { [self] in
      for request in requests { cancel(request, id, caller) }
    }
  }

  private func cancel(_ request: RequestID, _ id: String, _ caller: IdentifiedCaller) {
    let left = opens.leave(request, sender: caller.connection, cancellationID: id) {
      isConnected($0.sender)
    }
    if let left {
      for reply in left { reply.fail(Self.leftToOthers.busError) }
      return
    }
    guard confirmations.isWaiting(request) else { return coordinator.cancel(request) }
    coordinator.fail(
      request, .cancelled("the opener cancelled it before the user had answered"))
    confirmations.cancel(request)
  }

  /// Fails an open whose delivery has not begun, for all calls that wait for it.
  func giveUp(_ request: RequestID, _ failure: OpenFailure) {
    guard let open = opens[request], !open.wasHandedOver else { return }
    if confirmations.isWaiting(request) {
      coordinator.fail(request, failure)
      confirmations.cancel(request)
    } else {
      coordinator.cancel(request)
    }
  }

  /// Fails the opens of a remote whose delivery has not begun, because the user has taken the right away.
  /// - Parameter schemes: of the URLs; nil for all.
  func giveUp(of remote: RemoteName, _ schemes: Set<URLScheme>?) {
    for request in opens.requests(of: remote.callerName) {
      let scheme = opens[request]?.payload.urls.first?.prefix { $0 != ":" }
      guard let schemes else {
        giveUp(request, .notPermitted("the user has removed \(remote)"))
        continue
      }
      if let scheme = scheme.flatMap({ URLScheme(String($0)) }), schemes.contains(scheme) {
        giveUp(request, .notPermitted("the user does not allow \(remote) to open \(scheme) URLs"))
      }
    }
  }

  private static let leftToOthers = OpenFailure.cancelled(
    "this call was cancelled; \(Contract.openGoesOn)")
}
