internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules

/// Callers of whom one call takes a while. What they ask meanwhile waits for it, so that the calls of one
/// caller take effect in their order.
struct BusyCallers {
  /// A call that has been read, and what is known of its caller.
  struct Incoming {
    var request: IncomingCall
    var call: PendingCall
    var facts: CallerTable.Answer
  }

  private struct Busy {
    /// Nil when it is answered and what waited is being caught up on.
    var answering: PendingCall?
    var waiting: [Incoming] = []
  }

  private var callers: [String: Busy] = [:]

  /// Its further calls wait until `nextBatch` has given all of them.
  mutating func began(_ call: PendingCall) {
    callers[call.sender, default: Busy()].answering = call
  }

  /// - Returns: nil when the caller is not busy, else whether it may wait with `limit` others.
  mutating func add(_ incoming: Incoming, limit: Int) -> Bool? {
    guard let waiting = callers[incoming.call.sender]?.waiting else { return nil }
    guard waiting.count < limit else { return false }
    callers[incoming.call.sender]?.waiting.append(incoming)
    return true
  }

  /// Its further calls wait, too. It may have made many until it was known who it is.
  /// - Returns: false when it is busy already.
  mutating func beganToCatchUp(_ caller: String) -> Bool {
    guard callers[caller] == nil else { return false }
    callers[caller] = Busy()
    return true
  }

  /// Nobody hears the answers any more.
  func left(_ caller: String) {
    for incoming in callers[caller]?.waiting ?? [] { incoming.call.callerHasLeft = true }
  }

  mutating func ended(_ call: PendingCall) { callers[call.sender]?.answering = nil }

  /// The calls that waited, some at a time; nil when the caller is busy again or nothing waits any more.
  mutating func next(of caller: String) -> Incoming? {
    guard let busy = callers[caller], busy.answering == nil else { return nil }
    guard !busy.waiting.isEmpty else {
      callers[caller] = nil
      return nil
    }
    return callers[caller]?.waiting.removeFirst()
  }

  /// Everybody who waits for an answer.
  mutating func takeAll() -> [PendingCall] {
    defer { callers = [:] }
    return callers.values.flatMap { [$0.answering].compactMap(\.self) + $0.waiting.map(\.call) }
  }
}

extension Daemon {
  /// Answers in the turn of its caller.
  func answerInTurn(_ incoming: BusyCallers.Incoming) {
    switch busyCallers.add(incoming, limit: settings.opens.maximumOpensPerCaller) {
    case true?: return
    case false?:
      releaseStreams(of: incoming.request)
      refuse(incoming.call, tooManyWait)
    case nil: answer(incoming)
    }
  }

  /// Answers a call that waited until it was known who the caller is: the first at once, what else waited in
  /// the caller's turn.
  func answerOfNew(_ incoming: BusyCallers.Incoming) {
    let caller = incoming.call.sender
    guard busyCallers.beganToCatchUp(caller) else { return answerInTurn(incoming) }
    answer(incoming)
    Task { catchUp(caller) }
  }

  /// Answers with what comes of `work`, which goes on elsewhere and comes back to change things.
  func answerLater(
    _ call: PendingCall, _ work: @escaping () async -> Result<[Value], BusError>
  ) {
    inTurn(call) { [self] in
      let result = await work()
      guard !isStopping else { return }
      switch result {
      case .success(let values): call.succeed(values)
      case .failure(let error): refuse(call, error)
      }
    }
  }

  /// Does something about a call that has to wait first. What its caller asks meanwhile waits for it.
  func inTurn(_ call: PendingCall, _ work: @escaping () async -> Void) {
    busyCallers.began(call)
    Task {
      await work()
      guard !isStopping else { return }
      busyCallers.ended(call)
      catchUp(call.sender)
    }
  }

  /// Some at a time, so that everybody else gets a turn. One that does not read its answers gets no more.
  private func catchUp(_ caller: String) {
    let end = Time.monotonicMicroseconds() + Self.patience
    for _ in 0..<32 where Time.monotonicMicroseconds() < end {
      if direct[caller]?.connection?.isClogged ?? false {
        catchingUp[caller] = Deadline(after: .milliseconds(50)) { [weak self] in
          self?.catchingUp[caller] = nil
          self?.catchUp(caller)
        }
        return
      }
      guard !isStopping, let incoming = busyCallers.next(of: caller) else { return }
      answer(incoming)
    }
    Task { catchUp(caller) }
  }

  /// In microseconds: some calls take long.
  private static let patience: UInt64 = 2000

  var tooManyWait: BusError {
    OpenFailure.limitExceeded(
      "\(settings.opens.maximumOpensPerCaller) calls of this connection wait already, which is the limit"
        + " MaximumOpensPerCaller of the settings"
    ).busError
  }
}
