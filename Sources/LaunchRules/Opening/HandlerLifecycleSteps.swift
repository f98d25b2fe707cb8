// Steps shared by the transitions of a lifecycle.

extension HandlerLifecycle {
  mutating func nextInstance() -> InstanceID {
    ordinal += 1
    return InstanceID(slot, ordinal: ordinal)
  }

  /// Starts a process for the waiting requests. The first request is the reason of the launch.
  mutating func launch(for waiting: [OpenRequest]) -> [Effect] {
    let lost = waiting.filter(\.mayHaveArrived).map(leaveUnknown)
    let waiting = waiting.filter { !$0.mayHaveArrived }
    guard let reason = waiting.first else {
      state = .notRunning
      return lost
    }
    let instance = nextInstance()
    state = .launching(
      Launching(
        instance: instance, isOurs: true, phase: .awaitingCheckIn, reason: reason, style: style,
        waiting: Array(waiting.dropFirst())))
    return lost + [.launch(instance, reason: reason)]
  }

  /// Fails a request that may have arrived: its arrival cannot be determined, and it must not be delivered
  /// twice.
  private func leaveUnknown(_ request: OpenRequest) -> Effect {
    .fail(
      request.id,
      .deliveryUnknown(
        "the daemon ended during the delivery to \(slot.application), whose process has ended or"
          + " does not remember requests: it is unknown whether the request arrived, and the request"
          + " is not sent again"))
  }

  /// How a process receives the reason of its launch. The answer to the check-in contains the reason only for
  /// a process that supports connection options; other processes would ignore it and lose the URL.
  func style(_ takesConnectionOptions: Bool) -> DeliveryStyle {
    takesConnectionOptions ? style : .delegate
  }

  /// Handles the check-in of a process that is launching.
  mutating func begin(_ launching: Launching, _ style: DeliveryStyle) -> [Effect] {
    var launching = launching
    launching.phase = .awaitingFinish
    launching.style = style
    state = .launching(launching)
    return [.answerCheckIn(launching.instance, reason: launching.reason, style: style)]
  }

  /// Uses a process that has appeared, in place of the one that was started.
  mutating func take(_ launching: Launching, _ style: DeliveryStyle) -> [Effect] {
    var taken = launching
    taken.instance = nextInstance()
    taken.isOurs = false
    return begin(taken, style)
  }

  /// Uses a process that has appeared and was launched earlier. It receives the waiting requests, except
  /// those that another process may already have received.
  mutating func serve(_ waiting: [OpenRequest], remembers: Bool) -> [Effect] {
    let lost = waiting.filter(\.mayHaveArrived).map(leaveUnknown)
    var running = Running(
      instance: nextInstance(), isOurs: false, underWay: nil,
      waiting: waiting.filter { !$0.mayHaveArrived })
    running.remembers = remembers
    return [.answerCheckIn(running.instance, reason: nil, style: style)] + lost + proceed(running)
  }

  /// Uses a process that has appeared and is launching, for requests that wait for the next process.
  mutating func launchInstead(
    _ waiting: [OpenRequest], _ style: DeliveryStyle
  ) -> [Effect] {
    begin(
      Launching(
        instance: nextInstance(), isOurs: false, phase: .awaitingFinish, reason: waiting.first,
        style: style, waiting: Array(waiting.dropFirst())), style)
  }

  /// Fails the reason of a launch that the answer to the check-in should have contained and does not. The
  /// process goes on launching without it.
  mutating func withdraw(_ id: RequestID, from launching: Launching, _ answer: Answer) -> [Effect] {
    guard launching.phase == .awaitingFinish, launching.style == .scene,
      let reason = launching.reason, reason.id == id
    else { return [] }
    var rest = launching
    rest.reason = nil
    state = .launching(rest)
    return settle(
      Running.UnderWay(request: reason, launch: .cold, isCancelled: launching.isReasonCancelled),
      answer)
  }

  mutating func finish(_ launching: Launching, _ answers: LaunchAnswers) -> [Effect] {
    var running = Running(
      instance: launching.instance, isOurs: launching.isOurs, underWay: nil,
      waiting: launching.waiting)
    guard let reason = launching.reason else { return proceed(running) }
    let isCancelled = launching.isReasonCancelled
    func settled(_ outcome: OpenOutcome) -> [Effect] {
      isCancelled ? [] : [.succeed(reason.id, outcome)]
    }
    switch (launching.style, reason.kind) {
    case (_, .application) where answers.passesOn:
      running.underWay = Running.UnderWay(
        request: reason, launch: .cold, isCancelled: isCancelled)
      state = .running(running)
      return [.deliver(reason, to: running.instance)]
    case (_, .application):
      // The application runs, which completes the request.
      return settled(OpenOutcome(.cold, .delivered, handled: true)) + proceed(running)
    case (.scene, _):
      // The connection options contained the request, and the application has handled them.
      return settled(OpenOutcome(.cold, .delivered, handled: true)) + proceed(running)
    case (.delegate, .url) where !answers.passGate,
      (.delegate, .userActivity) where !answers.passGate:
      return settled(OpenOutcome(.cold, .vetoed, handled: false)) + proceed(running)
    case (.delegate, .quickAction) where !answers.passGate:
      // Here false means that the launch method has performed the action itself (R5.22).
      return settled(OpenOutcome(.cold, .delivered, handled: true)) + proceed(running)
    case (.delegate, .url), (.delegate, .quickAction), (.delegate, .userActivity):
      running.underWay = Running.UnderWay(
        request: reason, launch: .cold, isCancelled: isCancelled)
      state = .running(running)
      return [.deliver(reason, to: running.instance)]
    }
  }

  /// Delivers the next waiting request if none is being delivered.
  mutating func proceed(_ running: Running) -> [Effect] {
    var running = running
    defer { state = .running(running) }
    var effects: [Effect] = []
    while running.underWay == nil, !running.waiting.isEmpty {
      let next = running.waiting.removeFirst()
      if next.mayHaveArrived, !running.remembers {
        effects.append(leaveUnknown(next))
      } else {
        running.underWay = Running.UnderWay(request: next, launch: .warm)
        effects.append(.deliver(next, to: running.instance))
      }
    }
    return effects
  }

  func settle(_ underWay: Running.UnderWay, _ answer: Answer) -> [Effect] {
    guard !underWay.isCancelled else { return [] }
    let id = underWay.request.id
    switch answer {
    case .handled(let handled):
      return [.succeed(id, OpenOutcome(underWay.launch, .delivered, handled: handled))]
    case .passedOn(let handOver):
      var outcome = OpenOutcome(
        handOver.launch ?? underWay.launch, handOver.delivery, handled: true)
      outcome.way = handOver.way.text
      outcome.owner = handOver.owner
      outcome.process = handOver.process
      outcome.exitStatus = handOver.exitStatus
      return [.succeed(id, outcome)]
    case .unknown(let why): return [.fail(id, .deliveryUnknown(why))]
    case .refused(let why):
      return [.fail(id, .handlerRefused("the delivery to \(slot.application) failed: \(why)"))]
    case .failed(let words):
      return [.fail(id, .handlerRefused("\(slot.application) refused the delivery", words: words))]
    case .notDelivered: return []
    case .timedOut(let seconds):
      return [
        .fail(
          id,
          .handlerTimedOut("\(slot.application) did not answer the delivery within \(seconds) s"))
      ]
    }
  }

  mutating func afterwards(
    _ underWay: Running.UnderWay, _ running: Running, _ answer: Answer
  ) -> [Effect] {
    switch answer {
    case .handled, .passedOn, .refused, .unknown, .failed: return proceed(running)
    case .notDelivered:
      let taken = underWay.isCancelled ? [] : [underWay.request]
      // The reason of a launch is not retried, which could cause endless launches.
      let isReason = underWay.launch == .cold
      state = .ending(
        Ending(
          instance: running.instance, failing: isReason ? taken : [],
          waiting: (isReason ? [] : taken) + running.waiting))
      return []
    // A handler that does not respond is ended, so that the next open starts a new process.
    case .timedOut:
      return lose(running.instance, isOurs: running.isOurs, with: [], waiting: running.waiting)
    }
  }

  /// Handles the loss of a process. A process that the daemon started is ended first, so that there are never
  /// two.
  mutating func lose(
    _ instance: InstanceID, isOurs: Bool, wasLaunching: Bool = false,
    with failing: [OpenRequest], waiting: [OpenRequest]
  ) -> [Effect] {
    if isOurs {
      state = .ending(
        Ending(
          instance: instance, wasLaunching: wasLaunching, failing: failing, waiting: waiting))
      return [.stop(instance)]
    }
    return [.forget(instance)] + fail(failing, "it left the bus", wasLaunching: wasLaunching)
      + launch(for: waiting)
  }

  /// - Parameter missing: what the application had not done yet.
  func cancel(_ id: RequestID, isHandedOver: Bool, missing: String? = nil) -> Effect {
    let sentence =
      isHandedOver
      ? "cancelled, but \(slot.application) had already received the URL"
      : "the open request was cancelled before it was delivered"
    let addition = missing.map { "; \(slot.application) has not \($0)" } ?? ""
    return .fail(id, .cancelled(sentence + addition))
  }

  func fail(
    _ requests: [OpenRequest], _ how: String, wasLaunching: Bool = false
  ) -> [Effect] {
    let when = wasLaunching ? "while launching" : "before it acknowledged the delivery"
    let failure = OpenFailure.handlerExited("\(slot.application) ended \(when): \(how)")
    return requests.map { .fail($0.id, failure) }
  }
}
