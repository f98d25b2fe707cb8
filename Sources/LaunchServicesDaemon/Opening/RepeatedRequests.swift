internal import BusContract
internal import DBus
internal import LaunchRules
internal import Records

/// Finds out whether an open was asked for before, by its `request-id`, and answers those that were: no request is
/// delivered twice.
final class RepeatedRequests {
  enum Finding {
    /// It was never asked for before.
    case new
    /// The call is dealt with.
    case answered
    /// To be handed once more to the process that was given it.
    case again(InstalledApplication, RequestEntry)
  }

  private let store: RegistryStore
  private let requests: RequestStore
  private let opens: PendingOpens
  private let history: RequestHistory
  private let coordinator: OpenCoordinator

  init(
    _ store: RegistryStore, _ requests: RequestStore, _ opens: PendingOpens,
    _ history: RequestHistory, _ coordinator: OpenCoordinator
  ) {
    self.store = store
    self.requests = requests
    self.opens = opens
    self.history = history
    self.coordinator = coordinator
  }

  /// Looks for a request of this name, and goes on with what is found: at once when there surely is none, else when
  /// the record has answered, and what the caller asks meanwhile waits for that.
  func afterLookingFor(
    _ name: RequestName?, isRepeated: Bool,
    _ body: @escaping (RequestFound) throws(BusError) -> Void
  ) throws(BusError) -> Reply {
    guard let name, opens.find(name) == nil, !requests.isNew(name, isRepeated: isRepeated) else {
      try body(.never)
      return .pending
    }
    return .pendingAfter { [self] () async throws(BusError) in
      let found = await requests.find(name, isRepeated: isRepeated)
      guard !coordinator.isStopped else { return }
      try body(found)
    }
  }

  /// Whether the request is one that was made before, by its name.
  /// - Parameter found: what the record knew of the name a moment ago.
  func find(_ submission: OpenSubmission, _ found: RequestFound) throws(BusError) -> Finding {
    guard let name = submission.name else { return .new }
    let underWay = opens.find(name)
    let entry: RequestEntry
    switch (underWay.flatMap { opens[$0]?.entry }, found) {
    case (let known?, _), (nil, .entry(let known)): entry = known
    case (nil, .never): return .new
    case (nil, .unknown(let why)): throw Self.lost(why)
    }
    let handler = BundleIdentifier(entry.handler).flatMap(store.registry.application)
    let decision = RepeatedRequest.decide(
      underWay == nil ? entry.known : .underWay,
      isSame: entry.fingerprint == submission.fingerprint.value,
      handler: handler.flatMap { coordinator.process(of: $0.identifier) })
    switch decision {
    case .refuse(let why): throw .invalidArguments(why)
    case .accept: return .new
    case .join:
      guard let underWay else { return .new }
      try join(submission, underWay, entry)
      return .answered
    case .answerAgain:
      try answer(submission.reply, again: entry)
      return .answered
    case .askAgain:
      // It may be registered again while its process lives.
      guard let handler else { throw Self.unknown(entry).busError }
      return .again(handler, entry)
    case .unknown:
      let failure = Self.unknown(entry)
      history.recordUnknown(entry, failure)
      throw failure.busError
    }
  }

  private func join(
    _ submission: OpenSubmission, _ id: RequestID, _ entry: RequestEntry
  ) throws(BusError) {
    // Its opener was answered when the application was invoked (R4.3).
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
    guard let fate = entry.fate, let delivery = OpenOutcome.Delivery(rawValue: fate),
      let launch = entry.launch.flatMap(OpenOutcome.Launch.init)
    else {
      throw OpenFailure.busError(named: entry.fate ?? "", entry.detail ?? "")
    }
    let receipt = Receipt(
      request: entry.number, handler: entry.handler,
      outcome: OpenOutcome(launch, delivery, handled: entry.handled),
      pid: UInt32(clamping: entry.pid),
      trail: entry.trail.map { .init($0.state, at: $0.microseconds) }, isRepeated: true)
    reply.succeed(receipt.dictionary)
  }

  /// It is not known whether the request was made before.
  static func lost(_ why: String) -> BusError {
    OpenFailure.deliveryUnknown(
      "it is not known whether the request arrived, and it is not sent again: \(why)"
    ).busError
  }

  private static func unknown(_ entry: RequestEntry) -> OpenFailure {
    .deliveryUnknown(
      "the daemon ended while it handed the request to \(entry.handler), process \(entry.pid),"
        + " which is gone: it is not known whether it arrived, and it is not sent again")
  }
}

nonisolated extension RequestEntry {
  /// What the daemon before this one has left.
  fileprivate var known: RepeatedRequest.Known {
    switch progress {
    case .accepted: .accepted
    case .delivering: .delivering(RepeatedRequest.Process(pid: pid, startTime: startTime))
    case .settled: .settled
    }
  }
}
