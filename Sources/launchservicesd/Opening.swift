internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules
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
    guard let identifier = BundleIdentifier(text) else {
      throw .invalidArguments("\(argument): '\(text)' is not a bundle identifier")
    }
    return identifier
  }

  // MARK: CanOpenURL

  func canOpen(
    _ text: String, _ options: QueryOptions, _ caller: Caller, _ sender: String
  ) throws(BusError) -> Bool {
    let acting = try acting(caller, as: options.actAs)
    let url = try? RequestedURL(text, longest: settings.maximumURLLength)
    let before = quotas.generation
    let answer = CanOpenRule.answer(
      scheme: url?.scheme, caller: acting, registry: registry, quotas: &quotas)
    if quotas.generation != before { storeQuotas() }
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

  func storeQuotas() {
    do {
      try quotaFile.write(QuotaState(quotas))
    } catch {
      journal.error("the counted queries cannot be stored", ["reason": "\(error)"])
    }
  }

  // MARK: OpenURL

  func open(
    _ text: String, _ options: OpenOptions, _ caller: Caller, _ call: PendingCall
  ) throws(BusError) {
    if DocumentURL.isOne(text) {
      return try openDocuments([text], options, caller, call, isSingle: true)
    }
    let subject = subject(text)
    let (acting, designated, url) = try recordingRefusal(of: subject, caller, call) {
      () throws(BusError) -> (ActingCaller, BundleIdentifier?, RequestedURL) in
      let acting = try self.acting(caller, as: options.actAs)
      let designated = try self.designated(options, acting, caller)
      let url = try submitting { () throws(OpenFailure) in
        try RequestedURL(text, longest: settings.maximumURLLength)
      }
      return (acting, designated, url)
    }
    // Its failure is not the answer to a repetition.
    let link = Result { () throws(OpenFailure) in
      try linkApplication(url, options, designated, acting)
    }
    let asked = Asked(
      payload: .url(url.text), link: try? link.get(), scheme: url.scheme, subject: subject,
      fingerprint: RequestFingerprint(
        .url, url.text, designated: designated, newInstance: options.newInstance),
      options: options, caller: caller, acting: acting, waiter: Waiter(call))
    try submit(asked) { () throws(OpenFailure) in
      if let link = try link.get() { return link }
      let application = try choose(
        .init(scheme: url.scheme, host: url.host, designated: designated),
        caller: recordedName(of: caller, on: call.sender))
      try forbidCircle(url.text, url.scheme, to: application, from: call.sender)
      return application
    }
  }

  func designated(
    _ options: OpenOptions, _ acting: ActingCaller, _ caller: Caller
  ) throws(BusError) -> BundleIdentifier? {
    guard options.ownApplication else {
      guard let name = options.application else { return nil }
      let wanted = try identifier(name, "option 'application'")
      // Whether it is installed is more than an iOS application may know (R3.3).
      if case .application(let own, _) = caller, own != wanted, isSandboxed(own) {
        throw OpenFailure.notPermitted(
          "\(own) is an iOS application, which does not choose who opens a URL"
        ).busError
      }
      return wanted
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
    let (acting, application) = try recordingRefusal(of: subject, caller, call) {
      () throws(BusError) -> (ActingCaller, InstalledApplication) in
      let acting = try self.acting(caller, as: options.actAs)
      let application = try submitting { () throws(OpenFailure) in
        if case .application(let own, _) = caller, own != identifier {
          throw .notPermitted("quick actions of \(identifier) are the user's, not \(own)'s")
        }
        return try registry.installed(identifier)
      }
      return (acting, application)
    }
    let action = try quickAction(type, of: application)
    let asked = Asked(
      payload: .quickAction(action), subject: subject,
      fingerprint: RequestFingerprint(
        .quickAction, type, designated: identifier, newInstance: options.newInstance),
      options: options, caller: caller, acting: acting, waiter: Waiter(call))
    try submit(asked) { () throws(OpenFailure) in
      application
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
    var payload: PendingOpen.Payload
    /// The application that gets a URL as a universal link.
    var link: InstalledApplication?
    /// Nil for a quick action, which the user has chosen.
    var scheme: URLScheme?
    /// What is recorded of the payload.
    let subject: String
    let fingerprint: RequestFingerprint
    var options: OpenOptions
    let caller: Caller
    let acting: ActingCaller
    let waiter: Waiter
  }

  /// Accepts it, unless it is a repetition of what was accepted before.
  func submit(
    _ asked: Asked, choosing choose: () throws(OpenFailure) -> InstalledApplication
  ) throws(BusError) {
    let caller = recordedName(of: asked.caller, on: asked.waiter.sender)
    switch try repetition(asked.fingerprint, asked.options, caller, asked.waiter) {
    case .answered: return
    case .again(let application, let entry):
      try submitting { () throws(OpenFailure) in
        try accept(asked, caller, application, again: entry)
      }
    case .new:
      try recordingRefusal(of: asked.subject, asked.caller, asked.waiter.call) {
        () throws(BusError) in
        try submitting { () throws(OpenFailure) in try accept(asked, caller, try choose()) }
      }
    }
  }

  private func accept(
    _ asked: Asked, _ caller: String, _ application: InstalledApplication,
    again known: RequestEntry? = nil
  ) throws(OpenFailure) {
    var asked = asked
    if application.identifier == asked.link?.identifier, case .url(let url) = asked.payload {
      // The user is not asked about a universal link (R4.15).
      (asked.payload, asked.scheme) = (.userActivity(url), nil)
    }
    var options = asked.options
    if case .application(let own, _) = asked.caller, isSandboxed(own) {
      // Sandboxed callers have no say in how another application starts (R6.8).
      options.arguments = []
      options.environment = [:]
      options.dropStreams()
    }
    guard opens.count(of: caller) < settings.maximumOpensPerCaller else {
      throw .limitExceeded(
        "\(settings.maximumOpensPerCaller) opens of this caller are under way already, which is the"
          + " limit MaximumOpensPerCaller of the settings")
    }
    let places = max(1, settings.maximumQueueLength * 3 / 4)
    guard opens.count(of: caller, for: application.identifier) < places else {
      throw .limitExceeded(
        "\(places) opens of this caller wait for \(application.identifier) already, three quarters of"
          + " the limit MaximumQueueLength of the settings")
    }
    guard opens.byteCount < settings.maximumPendingBytes else {
      throw .limitExceeded(
        "the opens under way take \(opens.byteCount) bytes already, and the limit"
          + " MaximumPendingBytes of the settings is \(settings.maximumPendingBytes)")
    }
    let share = settings.maximumPendingBytes / 4
    guard opens.byteCount(of: caller) < max(1, share) else {
      throw .limitExceeded(
        "the opens of this caller take \(opens.byteCount(of: caller)) bytes already, and one caller"
          + " may take \(share), a quarter of the limit MaximumPendingBytes of the settings")
    }
    guard !options.hasStreams || opens.hasRoomForStreams else {
      throw .limitExceeded(
        "\(PendingOpens.mostWithStreams) opens that bring stdin, stdout or stderr wait already,"
          + " which is the limit")
    }
    if let id = options.cancellationID,
      opens.find(sender: asked.waiter.sender, cancellationID: id).contains(where: {
        // Documents of one call may go to several applications.
        opens[$0]?.waiter.call !== asked.waiter.call
      })
    {
      throw .notPermitted("an open with the cancellation-id \(id) is under way already")
    }
    let unconfirmed =
      try known == nil
      ? asked.scheme.flatMap { scheme throws(OpenFailure) in
        try confirmation(scheme, asked.acting, asked.waiter.sender, application)
      } : nil
    let request = OpenRequest(
      known.map { RequestID($0.number) } ?? opens.nextRequest(), asked.payload.kind,
      activates: options.activate, mayHaveArrived: known != nil)
    let effects =
      unconfirmed == nil
      ? try lifecycles.open(
        request, with: application, newInstance: options.newInstance, orAmong: seats(options)) : []
    let open = PendingOpen(
      payload: asked.payload, handler: application, options: options,
      source: sourceApplication(opener: opener(asked.acting), receiver: application),
      waiter: asked.waiter,
      entry: known
        ?? entry(
          request.id, asked.subject, asked.fingerprint, application.identifier, caller, options),
      isRepeated: known != nil)
    if let scheme = asked.scheme { open.hops = hops(of: scheme, from: asked.waiter.sender) }
    open.unconfirmed = unconfirmed.map {
      Unconfirmed(situation: $0, request: request, subject: asked.subject)
    }
    opens.add(request.id, open)
    if unconfirmed == nil { perform(effects) } else { confirm(request.id, asked.caller) }
  }

  func cancel(_ id: String, _ call: PendingCall) throws(BusError) {
    let requests = opens.find(sender: call.sender, cancellationID: id)
    guard !requests.isEmpty else {
      throw .invalidArguments("cancellation_id: no open of this caller has the identifier \(id)")
    }
    call.succeed([.boolean(requests.contains { opens[$0]?.wasHandedOver ?? false })])
    for request in requests {
      guard confirmations.holds(request) else {
        perform(lifecycles.cancel(request, in: registry))
        continue
      }
      fail(request, .cancelled("the opener cancelled it before the user had answered"))
      perform(confirmations.cancel(request))
    }
  }
}
