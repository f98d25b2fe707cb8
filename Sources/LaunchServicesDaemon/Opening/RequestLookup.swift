internal import BusContract
internal import CallerIdentity
internal import DBus
internal import LaunchRules
internal import Records

/// Looks up by `request-id` whether an open repeats an earlier request, and answers repetitions, so that no
/// request is delivered twice.
final class RequestLookup {
  enum Finding {
    /// The request is new.
    case new
    /// The call was answered, or waits for the result of the earlier request.
    case answered
    /// The request is to be delivered again to the process that received it.
    case again(InstalledApplication, RequestEntry)
    /// The request is to be sent again to the device that may have received it, if that is a machine; otherwise
    /// `answerUnknown` answers.
    case againToDevice(RequestEntry)
  }

  private let store: RegistryStore
  private let remotes: RemoteStore
  private let paces: OutsidePaces
  private let requests: RequestStore
  private let opens: PendingOpens
  private let history: RequestHistory
  private let coordinator: OpenCoordinator

  init(
    _ store: RegistryStore, _ remotes: RemoteStore, _ paces: OutsidePaces, _ requests: RequestStore,
    _ opens: PendingOpens, _ history: RequestHistory, _ coordinator: OpenCoordinator
  ) {
    self.store = store
    self.remotes = remotes
    self.paces = paces
    self.requests = requests
    self.opens = opens
    self.history = history
    self.coordinator = coordinator
  }

  /// The name of a request in the record; nil when its client gave no identifier.
  /// - Throws: see `IdentifiedCaller.requestName`.
  func name(_ id: String?, of caller: IdentifiedCaller) throws(BusError) -> RequestName? {
    try caller.requestName(id, in: store.registry, remotes)
  }

  /// Looks up a request with this name and calls `body` with the result: immediately if there certainly is
  /// none, otherwise after the lookup in the record. Later calls of the caller are blocked until then.
  func afterLookingFor(
    _ name: RequestName?, isRepeated: Bool,
    _ body: @escaping (RequestFound) throws(BusError) -> Void
  ) throws(BusError) -> Reply {
    guard let name, opens.find(name) == nil else {
      try body(.never)
      return .pending
    }
    let forms = RequestForms(requests, opens)
    try forms.checkNoPart(of: name)
    guard
      !requests.isNew(name, isRepeated: isRepeated)
        || forms.mayHaveParts(name, isRepeated: isRepeated)
    else {
      try body(.never)
      return .pending
    }
    return .pendingAfter { [self] () async throws(BusError) in
      let found = await requests.find(name, isRepeated: isRepeated)
      if case .never = found {
        try await forms.checkNoRecordedPart(of: name, isRepeated: isRepeated)
        try forms.checkNoPart(of: name)
      }
      guard !coordinator.isStopped else { return }
      try body(found)
    }
  }

  /// Decides whether the request repeats an earlier one with the same name.
  /// - Parameter found: the result of the lookup in the record.
  func find(_ submission: OpenSubmission, _ found: RequestFound) throws(BusError) -> Finding {
    guard let name = submission.name else { return .new }
    let underWay = opens.find(name)
    let entry: RequestEntry
    switch (underWay.flatMap { opens[$0]?.entry }, found) {
    case (let known?, _), (nil, .entry(let known)): entry = known
    case (nil, .never):
      // A repetition is counted only when it proves to be the first one; see `isCountedForRemotes`.
      if submission.options.isRepeated {
        try withBusErrors { () throws(OpenFailure) in
          try paces.count(.open, of: submission.caller.caller)
        }
      }
      return try new()
    case (nil, .unknown(let why)): throw RepeatedRequest.lost(why).busError
    }
    let handler = BundleIdentifier(entry.handler).flatMap(store.registry.application)
    let decision = RepeatedRequest.decide(
      underWay == nil ? entry.known : .underWay,
      isSame: entry.isRefusedFromNowOn || entry.fingerprint == submission.fingerprint?.value,
      handler: handler.flatMap { coordinator.process(of: $0.identifier) },
      number: entry.number, last: opens.lastRequest)
    switch decision {
    case .refuse(let why): throw .invalidArguments(why)
    case .accept: return try new()
    case .join:
      guard let underWay else { return .new }
      try join(submission, underWay, entry)
      return .answered
    case .answerAgain:
      try answer(submission.reply, again: entry)
      return .answered
    case .askAgain:
      // The application may have been unregistered and registered again while its process runs.
      guard let handler else { throw RepeatedRequest.unknown(entry.handler, entry.pid).busError }
      return .again(handler, entry)
    case .askDevice: return .againToDevice(entry)
    case .forgotten:
      throw unknown(entry, RepeatedRequest.forgotten(entry.handler, entry.pid))
    case .unknown: throw unknown(entry, RepeatedRequest.unknown(entry.handler, entry.pid))
    }
  }

  /// The daemon that has the record would not know of the request, and deliver a repetition.
  private func new() throws(BusError) -> Finding {
    if let reason = requests.reasonOfLeaving { throw RepeatedRequest.unrecorded(reason).busError }
    return .new
  }

  private func unknown(_ entry: RequestEntry, _ failure: OpenFailure) -> BusError {
    history.recordUnknown(entry, failure)
    return failure.busError
  }

  /// Answers a request that a device may have received and that cannot be sent again to this device.
  func answerUnknown(_ entry: RequestEntry, _ reply: PendingReply) throws(BusError) {
    guard entry.progress == .settled else {
      throw unknown(entry, RepeatedRequest.unknown(entry.handler, entry.pid))
    }
    try answer(reply, again: entry)
  }

  private func join(
    _ submission: OpenSubmission, _ id: RequestID, _ entry: RequestEntry
  ) throws(BusError) {
    // The opener got its answer when the application was invoked (R4.3).
    if entry.progress == .settled { return try answer(submission.reply, again: entry) }
    let wait = PendingOpen.Wait(
      reply: submission.reply, cancellationID: submission.options.cancellationID)
    guard opens.join(id, wait) else {
      throw OpenFailure.limitExceeded(
        "\(PendingOpens.mostJoined) calls repeat this request already, which is the limit"
      ).busError
    }
  }

  private func answer(_ reply: PendingReply, again entry: RequestEntry) throws(BusError) {
    guard let receipt = Receipt(entry) else {
      throw OpenFailure.busError(named: entry.fate ?? "", entry.detail ?? "")
    }
    reply.succeed(receipt)
  }
}

nonisolated extension RequestEntry {
  /// The progress that a previous daemon recorded.
  fileprivate var known: RepeatedRequest.Known {
    let isOfDevice = handler.hasPrefix(Device.handlerPrefix)
    return switch progress {
    case .accepted: .accepted
    case .delivering where isOfDevice: .withDevice
    case .settled where isOfDevice && fate == OpenFailure.deliveryUnknown("").name: .withDevice
    case .delivering: .delivering(RepeatedRequest.Process(pid: pid, startTime: startTime))
    case .settled: .settled
    }
  }
}
