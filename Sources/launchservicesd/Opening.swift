internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

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

  func canOpen(_ text: String, _ options: QueryOptions, _ caller: Caller) throws(BusError) -> Bool {
    let acting = try acting(caller, as: options.actAs)
    let url = try? RequestedURL(text, longest: settings.maximumURLLength)
    let before = quotas.generation
    let answer = CanOpenRule.answer(
      scheme: url?.scheme, caller: acting, registry: dispatcher.registry, quotas: &quotas)
    if quotas.generation != before { storeQuotas() }
    if let line = answer.logLine(for: text) {
      if let hint = answer.hint {
        journal.notice(line, ["hint": "\(hint)"])
      } else {
        journal.notice(line)
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
    let acting = try acting(caller, as: options.actAs)
    let designated = try options.application.map { name throws(BusError) in
      try identifier(name, "option 'application'")
    }
    try submitting(call) { () throws(OpenFailure) in
      let url = try RequestedURL(text, longest: settings.maximumURLLength)
      let application = try dispatcher.choose(
        .init(
          scheme: url.scheme, designated: designated,
          universalLinksOnly: options.universalLinksOnly))
      try submit(.url(url.text), .url, to: application, options, caller, acting, call)
    }
  }

  func performQuickAction(
    _ name: String, _ type: String, _ options: OpenOptions, _ caller: Caller, _ call: PendingCall
  ) throws(BusError) {
    let acting = try acting(caller, as: options.actAs)
    let identifier = try identifier(name, "bundle_id")
    let application = try submitting(call) { () throws(OpenFailure) in
      if case .application(let own, _) = caller, own != identifier {
        throw .notPermitted("quick actions of \(identifier) are the user's, not \(own)'s")
      }
      return try dispatcher.installed(identifier)
    }
    let action = try quickAction(type, of: application)
    try submitting(call) { () throws(OpenFailure) in
      try submit(
        .quickAction(action), .quickAction, to: application, options, caller, acting, call)
    }
  }

  private func submitting<Result>(
    _ call: PendingCall, _ body: () throws(OpenFailure) -> Result
  ) throws(BusError) -> Result {
    do throws(OpenFailure) {
      return try body()
    } catch {
      throw error.busError
    }
  }

  private func submit(
    _ payload: PendingOpen.Payload, _ kind: OpenRequest.Kind, to application: InstalledApplication,
    _ options: OpenOptions, _ caller: Caller, _ acting: ActingCaller, _ call: PendingCall
  ) throws(OpenFailure) {
    var options = options
    if case .application(let own, _) = caller,
      dispatcher.registry.application(own)?.declaration.platform == .iOS
    {
      // Sandboxed callers have no say in how another application starts (R6.8).
      options.arguments = []
      options.environment = [:]
      options.dropStreams()
    }
    guard !options.hasStreams || opens.hasRoomForStreams else {
      throw .limitExceeded(
        "\(PendingOpens.mostWithStreams) opens that bring stdin, stdout or stderr wait already,"
          + " which is the limit")
    }
    if let id = options.cancellationID,
      opens.find(sender: call.sender, cancellationID: id) != nil
    {
      throw .notPermitted("an open with the cancellation-id \(id) is under way already")
    }
    let opener = acting.identifier.flatMap(dispatcher.registry.application)
    let request = OpenRequest(opens.nextRequest(), kind, activates: options.activate)
    let effects = try dispatcher.open(request, with: application, newInstance: options.newInstance)
    opens.add(
      request.id,
      PendingOpen(
        payload: payload, handler: application.identifier, options: options,
        source: sourceApplication(opener: opener, receiver: application), call: call))
    perform(effects)
  }

  func cancel(_ id: String, _ call: PendingCall) throws(BusError) {
    guard let request = opens.find(sender: call.sender, cancellationID: id) else {
      throw .invalidArguments("cancellation_id: no open of this caller has the identifier \(id)")
    }
    call.succeed()
    perform(dispatcher.cancel(request))
  }
}

nonisolated extension QuotaState {
  init(_ quotas: LegacyQuotas) {
    for (identifier, quota) in quotas.quotas {
      self.quotas[identifier.text] = Quota(
        stamp: quota.stamp, schemes: quota.counted.map(\.text))
    }
  }
}

nonisolated extension LegacyQuotas {
  init(_ state: QuotaState) {
    var quotas: [BundleIdentifier: LegacyQuota] = [:]
    for (identifier, quota) in state.quotas {
      guard let identifier = BundleIdentifier(identifier) else { continue }
      quotas[identifier] = LegacyQuota(stamp: quota.stamp, counted: quota.schemes)
    }
    self.init(quotas)
  }
}
