internal import BusContract
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

/// Reports the results of opens to openers, the record and the log.
final class FateReporter {
  private let opens: PendingOpens
  private let history: RequestHistory
  private let journal: Journal
  private let handOvers = HandOverWatches()
  private var coldStarts = ColdStarts()
  /// The processes that got URLs from handlers which pass URLs on.
  let receivers: ReceivingProcesses

  init(
    _ opens: PendingOpens, _ history: RequestHistory, _ receivers: ReceivingProcesses,
    _ journal: Journal
  ) {
    self.receivers = receivers
    self.opens = opens
    self.history = history
    self.journal = journal
  }

  /// Answers the opener when the application is invoked. The opener gets no further answer (R4.3).
  func invoked(_ request: RequestID, _ launch: OpenOutcome.Launch) {
    guard let open = opens[request] else { return }
    succeed(open, open.outcome(.init(launch, .unacknowledged, handled: false)), isFinal: false)
  }

  func succeed(_ request: RequestID, _ outcome: OpenOutcome) {
    if let way = outcome.way { opens.record(request, way, pid: outcome.process) }
    if let status = outcome.exitStatus { opens.record(request, "\(HandOver.statusStep)\(status)") }
    if let process = outcome.process, process > 0, let handler = opens[request]?.handler {
      receivers.record(process, of: handler)
    }
    guard let owner = outcome.owner, let open = opens[request] else {
      return settle(request, outcome)
    }
    handOvers.begin(request, outcome, of: owner) { [weak self] observation in
      switch observation {
      case .runs: self?.settle(request, outcome)
      case .ended:
        let seconds = HandOver.observation.components.seconds
        self?.fail(
          request,
          .deliveryUnknown(
            "\(open.handler), process \(owner.pid), took the URL and ended within \(seconds) s; it is"
              + " unknown whether the URL was opened"), unit: nil)
      case .endedLater: self?.recordEnd(of: open, owner)
      }
    }
  }

  /// Records that the process that took a URL has ended soon after. It may have been ending when it took the URL.
  private func recordEnd(of open: PendingOpen, _ owner: HandOver.Owner) {
    var entry = open.entry
    entry.trail.append(
      RequestStep(HandOver.endedStep, at: Time.monotonicMicroseconds()))
    history.recordMore(entry)
    journal.notice(
      "a process ended soon after it took a URL, which may be lost",
      [
        "application": open.handlerName, "request": "\(open.entry.number)",
        "pid": "\(owner.pid)",
        "within": "\(HandOver.laterObservation.components.seconds) s",
      ], about: open.logSubject)
  }

  private func settle(_ request: RequestID, _ outcome: OpenOutcome) {
    let outcome = opens[request]?.outcome(outcome) ?? outcome
    opens.record(request, outcome.delivery.rawValue)
    guard let open = opens.settle(request) else { return }
    succeed(open, outcome, isFinal: true)
    if outcome.way == HandOver.Way.arguments.text, outcome.launch == .cold,
      outcome.exitStatus == nil
    {
      coldStarts.add(open.entry)
    }
  }

  /// Records that the application that was started with the URL of a request takes URLs now. The opener was
  /// answered before; only the record changes.
  /// - Parameter handler: which passed the URL on.
  /// - Returns: false when nothing changes.
  func handedOver(_ request: RequestID, by handler: BundleIdentifier) -> Bool {
    let time = Time.monotonicMicroseconds()
    guard let entry = coldStarts.handedOver(request, by: handler, at: time) else { return false }
    history.recordMore(entry)
    journal.info(
      "a started application received its URL", ["application": entry.handler],
      about: Self.subject(entry))
    return true
  }

  /// Records that the application that was started with the URL of a request has failed after the opener was answered.
  /// - Parameter handler: which passed the URL on.
  /// - Returns: false when nothing changes.
  func failed(
    _ request: RequestID, _ failure: HandOver.Failure, by handler: BundleIdentifier
  ) -> Bool {
    let time = Time.monotonicMicroseconds()
    guard let entry = coldStarts.failed(request, failure, by: handler, at: time) else {
      return false
    }
    history.recordMore(entry)
    journal.notice(
      "a program failed soon after it was started with a URL, which may be lost",
      [
        "application": entry.handler, "request": "\(entry.number)", "program": "\(failure)",
      ], about: Self.subject(entry))
    return true
  }

  private static func subject(_ entry: RequestEntry) -> [String: String] {
    [
      "application": entry.handler, "request": "\(entry.number)", "caller": entry.caller,
      "handler": entry.handler,
    ]
  }

  private func succeed(_ open: PendingOpen, _ outcome: OpenOutcome, isFinal: Bool) {
    let receipt = Receipt(
      request: open.entry.number, handler: open.handlerName, outcome: outcome,
      pid: UInt32(open.pid), trail: open.trail)
    // The opener of a request with an identifier is answered after the result is stored, so that a crash cannot lose the
    // result.
    history.recordFate(of: open, .success(outcome), isFinal: isFinal) {
      for reply in open.replies { reply.succeed(receipt) }
    }
    journal.info(
      "an open succeeded",
      [
        "application": open.handlerName, "launch": outcome.launch.rawValue,
        "delivery": outcome.delivery.rawValue,
      ], about: open.logSubject)
  }

  /// - Parameter unit: the unit of the process that the open was meant for.
  func fail(_ request: RequestID, _ failure: OpenFailure, unit: String?) {
    opens.record(request, "failed")
    guard let open = opens.settle(request) else { return }
    let failure = unit.map(failure.namingTimeOut) ?? failure
    journal.notice(
      "an open failed",
      ["application": open.handlerName, "reason": open.discreet(failure).sentence],
      about: open.logSubject)
    history.recordFate(of: open, .failure(failure), isFinal: true) {
      for reply in open.replies { reply.fail(failure.busError) }
    }
  }

  // MARK: Shutdown

  static let shuttingDown = OpenFailure.shuttingDown(
    "the launch services daemon is shutting down")

  /// Settles every pending open when the daemon ends.
  func cutOffAll() {
    for (request, outcome) in handOvers.endAll() { settle(request, outcome) }
    for open in opens.settleAll() { cutOff(open) }
  }

  private func cutOff(_ open: PendingOpen) {
    let failure: OpenFailure =
      switch ShutdownRule.failure(
        wasHandedOver: open.entry.progress == .delivering, hasRequestID: open.hasRequestID)
      {
      case .shuttingDown: Self.shuttingDown
      case .deliveryUnknown:
        .deliveryUnknown(
          "the daemon ended during the delivery to \(open.handlerName)"
            + (open.receiver.device == nil ? " (process \(open.entry.pid))" : "")
            + "; the result is unknown")
      }
    switch ShutdownRule.record(
      isSettled: open.entry.progress == .settled, hasRequestID: open.hasRequestID)
    {
    case .tell: history.tellSubscribers(open.entry)
    case .settle: history.recordFate(of: open, .failure(failure), isFinal: true)
    case .leaveToNextDaemon: break
    }
    for reply in open.replies { reply.fail(failure.busError) }
  }
}
