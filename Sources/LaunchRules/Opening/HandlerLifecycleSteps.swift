// What the transitions of a lifecycle have in common.

extension HandlerLifecycle {
  mutating func nextInstance() -> InstanceID {
    ordinal += 1
    return InstanceID(slot, ordinal: ordinal)
  }

  /// Starts a process for what waits; the first is the reason of the launch.
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

  /// Nobody is left who could say whether it arrived, and it must not arrive twice.
  private func leaveUnknown(_ request: OpenRequest) -> Effect {
    .fail(
      request.id,
      .deliveryUnknown(
        "the daemon ended while it handed the request to \(slot.application), whose process is"
          + " gone or does not remember: it is not known whether it arrived, and it is not sent"
          + " again"))
  }

  /// How a process gets what it is launched for: in the answer to its check-in only when it says that it reads it
  /// there. One that does not know scenes would ignore the answer, and lose the URL.
  func style(_ takesConnectionOptions: Bool) -> DeliveryStyle {
    takesConnectionOptions ? style : .delegate
  }

  /// The process has checked in, and launches.
  mutating func begin(_ launching: Launching, _ style: DeliveryStyle) -> [Effect] {
    var launching = launching
    launching.phase = .awaitingFinish
    launching.style = style
    state = .launching(launching)
    return [.answerCheckIn(launching.instance, reason: launching.reason, style: style)]
  }

  /// The process that came by itself is what the other was started for.
  mutating func take(_ launching: Launching, _ style: DeliveryStyle) -> [Effect] {
    var taken = launching
    taken.instance = nextInstance()
    taken.isOurs = false
    return begin(taken, style)
  }

  /// The process that came by itself was launched long ago, and gets what waits; but not what may
  /// have arrived, which waited for another one.
  mutating func serve(_ waiting: [OpenRequest], remembers: Bool) -> [Effect] {
    let lost = waiting.filter(\.mayHaveArrived).map(leaveUnknown)
    var running = Running(
      instance: nextInstance(), isOurs: false, underWay: nil,
      waiting: waiting.filter { !$0.mayHaveArrived })
    running.remembers = remembers
    return [.answerCheckIn(running.instance, reason: nil, style: style)] + lost + proceed(running)
  }

  /// The process that came by itself launches for what waits for the next one.
  mutating func launchInstead(
    _ waiting: [OpenRequest], _ style: DeliveryStyle
  ) -> [Effect] {
    begin(
      Launching(
        instance: nextInstance(), isOurs: false, phase: .awaitingFinish, reason: waiting.first,
        style: style, waiting: Array(waiting.dropFirst())), style)
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
    case (_, .application):
      // It runs, which is all that was asked.
      return settled(OpenOutcome(.cold, .delivered, handled: true)) + proceed(running)
    case (.scene, _):
      // The connection options carried it, and the application has worked through them.
      return settled(OpenOutcome(.cold, .delivered, handled: true)) + proceed(running)
    case (.delegate, .url) where !answers.passGate,
      (.delegate, .userActivity) where !answers.passGate:
      return settled(OpenOutcome(.cold, .vetoed, handled: false)) + proceed(running)
    case (.delegate, .quickAction) where !answers.passGate:
      // False says here that the launch method has performed the action itself (R5.22).
      return settled(OpenOutcome(.cold, .delivered, handled: true)) + proceed(running)
    case (.delegate, .url), (.delegate, .quickAction), (.delegate, .userActivity):
      running.underWay = Running.UnderWay(
        request: reason, launch: .cold, isCancelled: isCancelled)
      state = .running(running)
      return [.deliver(reason, to: running.instance)]
    }
  }

  /// Delivers the next waiting request unless one is under way.
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
    case .handled, .refused, .failed: return proceed(running)
    case .notDelivered:
      let taken = underWay.isCancelled ? [] : [underWay.request]
      // What the process was launched for is not tried again: it might launch without end.
      let isReason = underWay.launch == .cold
      state = .ending(
        Ending(
          instance: running.instance, failing: isReason ? taken : [],
          waiting: (isReason ? [] : taken) + running.waiting))
      return []
    // A handler that hangs is ended, so that the next open starts afresh.
    case .timedOut:
      return lose(running.instance, isOurs: running.isOurs, with: [], waiting: running.waiting)
    }
  }

  /// The process can no longer be used. One of ours is ended first, so that there are never two.
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

  func cancel(_ id: RequestID, isHandedOver: Bool) -> Effect {
    let sentence =
      isHandedOver
      ? "cancelled, but \(slot.application) had been given the URL already"
      : "the open request was cancelled before it was delivered"
    return .fail(id, .cancelled(sentence))
  }

  func fail(
    _ requests: [OpenRequest], _ how: String, wasLaunching: Bool = false
  ) -> [Effect] {
    let when = wasLaunching ? "while launching" : "before it acknowledged the delivery"
    let failure = OpenFailure.handlerExited("\(slot.application) ended \(when): \(how)")
    return requests.map { .fail($0.id, failure) }
  }
}
