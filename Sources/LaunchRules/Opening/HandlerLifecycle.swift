/// The lifecycle of an application in one slot: its process, and the requests that wait for the process.
///
/// A pure state machine. Pass it the events in order, and perform the returned effects in order. Each request
/// ends with exactly one `succeed` or `fail`. Requests are delivered one at a time, in order of arrival.
package struct HandlerLifecycle: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case notRunning
    /// A process was started or has appeared, and is not ready for requests.
    case launching(Launching)
    case running(Running)
    /// The process is being ended. Waiting requests then start the next process.
    case ending(Ending)
  }

  package struct Launching: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
      /// The process ran before the daemon started, and is expected to check in again.
      case awaitingReturn
      case awaitingCheckIn
      case awaitingFinish
    }
    package var instance: InstanceID
    /// Whether the daemon started the process, and may therefore end it.
    package var isOurs: Bool
    package var phase: Phase
    /// The request that caused the launch.
    package var reason: OpenRequest? {
      didSet { if reason == nil, let oldValue { activates = oldValue.activates } }
    }
    /// Whether the opener of `reason` has already been answered.
    package var isReasonCancelled = false
    /// How `reason` is delivered. Known after the check-in.
    package var style: DeliveryStyle
    package var waiting: [OpenRequest]
    /// Whether a request that caused the launch and was removed should have brought the application to the
    /// front; nil when none was removed.
    package private(set) var activates: Bool?

    package init(
      instance: InstanceID, isOurs: Bool, phase: Phase, reason: OpenRequest?,
      isReasonCancelled: Bool = false, style: DeliveryStyle, waiting: [OpenRequest]
    ) {
      self.instance = instance
      self.isOurs = isOurs
      self.phase = phase
      self.reason = reason
      self.isReasonCancelled = isReasonCancelled
      self.style = style
      self.waiting = waiting
    }
  }

  package struct Running: Hashable, Sendable {
    package struct UnderWay: Hashable, Sendable {
      package var request: OpenRequest
      package var launch: OpenOutcome.Launch
      /// Whether the opener has already been answered.
      package var isCancelled = false
    }
    package var instance: InstanceID
    package var isOurs: Bool
    /// Whether the process remembers the requests that it received before the daemon started.
    package var remembers = false
    package var underWay: UnderWay?
    package var waiting: [OpenRequest]
  }

  package struct Ending: Hashable, Sendable {
    package var instance: InstanceID
    /// Whether the process had not finished launching.
    package var wasLaunching = false
    /// Requests that were lost with the process. They fail when its exit status is known.
    package var failing: [OpenRequest]
    package var waiting: [OpenRequest]
  }

  package enum Event: Hashable, Sendable {
    case openRequested(OpenRequest)
    case launchFailed(InstanceID, OpenFailure)
    /// - Parameter takesConnectionOptions: whether the process supports scenes.
    case checkedIn(InstanceID, takesConnectionOptions: Bool = true)
    /// A process that this daemon did not start has checked in. The process is launching, or was launched
    /// earlier and then states whether it remembers its requests.
    case checkedInByItself(remembers: Bool?, takesConnectionOptions: Bool = true)
    /// A process served the previous daemon and may check in again.
    case ranBefore(isOurs: Bool)
    /// The process has checked in again. It receives no launch data, because it was launched earlier.
    case returned(InstanceID, remembers: Bool)
    case finishedLaunching(InstanceID, LaunchAnswers)
    /// The process owns the bus name of its application, which exports `org.freedesktop.Application`. Such an
    /// application sends no check-in.
    case ownsName(InstanceID)
    /// A process that this daemon did not start owns that bus name.
    /// - Parameter ranBefore: whether the process owned the name before any open; otherwise the bus may have
    ///   started the process.
    case ownsNameByItself(ranBefore: Bool)
    case answered(InstanceID, RequestID, Answer)
    case connectionLost(InstanceID)
    /// - Parameter wasAsked: whether the process was running when SIGTERM was sent, after it had left the
    ///   bus.
    case exited(InstanceID, how: String, wasAsked: Bool = false)
    case watchdogFired(InstanceID, seconds: Int)
    case cancelled(RequestID)
    /// The process would be suspended, and is ended instead (R1.38).
    case retired(InstanceID)
  }

  /// The answer to a delivery.
  package enum Answer: Hashable, Sendable {
    case handled(Bool)
    /// The handler has passed the request on to another program.
    case passedOn(HandOver)
    case refused(String)
    /// The handler says that the request may have arrived at another program.
    case unknown(String)
    /// An error, with the text of the handler.
    case failed(String)
    case timedOut(seconds: Int)
    /// Nothing was delivered, because the process has ended. An `exited` event follows.
    case notDelivered
  }

  package enum Effect: Hashable, Sendable {
    /// Start a process and the watchdog of its launch.
    case launch(InstanceID, reason: OpenRequest?)
    /// Answer the check-in with the reason of the launch.
    /// - Parameter style: with `scene`, the answer delivers the reason.
    case answerCheckIn(InstanceID, reason: OpenRequest?, style: DeliveryStyle = .delegate)
    case disarmWatchdog(InstanceID)
    case deliver(OpenRequest, to: InstanceID)
    /// End the process. An `exited` event follows.
    case stop(InstanceID)
    /// Only remove the connection, because the daemon may not end the process.
    case forget(InstanceID)
    case succeed(RequestID, OpenOutcome)
    case fail(RequestID, OpenFailure)
    /// Returned by `Foreground`, never by a lifecycle.
    case foreground(Foreground.Effect)
  }

  package let slot: InstanceSlot
  /// The style according to the property list. Changes only while no process runs.
  package var style: DeliveryStyle
  package internal(set) var state: State = .notRunning
  var ordinal: UInt64 = 0

  package init(_ slot: InstanceSlot, style: DeliveryStyle) {
    self.slot = slot
    self.style = style
  }

  package mutating func handle(_ event: Event) -> [Effect] {
    if let instance = event.instance, instance != state.instance { return [] }  // of an old process
    switch (state, event) {
    case (.notRunning, .openRequested(let request)):
      return launch(for: [request])
    case (.launching(var launching), .openRequested(let request)):
      launching.waiting.append(request)
      state = .launching(launching)
      return []
    case (.running(var running), .openRequested(let request)):
      running.waiting.append(request)
      return proceed(running)
    case (.ending(var ending), .openRequested(let request)):
      ending.waiting.append(request)
      state = .ending(ending)
      return []

    case (.launching(let launching), .launchFailed(_, let failure)):
      state = .notRunning
      return [.disarmWatchdog(launching.instance)] + launching.all.map { .fail($0.id, failure) }
    case (.launching(let launching), .checkedIn(_, let takesConnectionOptions)):
      return begin(launching, style(takesConnectionOptions))
    case (.notRunning, .checkedInByItself(let remembers, let takesConnectionOptions)):
      return remembers.map { serve([], remembers: $0) }
        ?? launchInstead([], style(takesConnectionOptions))

    // The first process that checks in becomes the process of the application. The process that the daemon
    // started is not needed.
    case (.launching(let launching), .checkedInByItself(let remembers, let takesConnectionOptions)):
      guard launching.phase != .awaitingFinish else { return [] }
      let old = launching.instance
      let end: Effect = launching.phase == .awaitingReturn ? .forget(old) : .stop(old)
      guard let remembers else {
        return [.disarmWatchdog(old), end] + take(launching, style(takesConnectionOptions))
      }
      return [.disarmWatchdog(old), end] + serve(launching.all, remembers: remembers)

    case (.notRunning, .ranBefore(let isOurs)):
      state = .launching(
        Launching(
          instance: nextInstance(), isOurs: isOurs, phase: .awaitingReturn, reason: nil,
          style: style, waiting: []))
      return []
    case (.launching(let launching), .returned(_, let remembers)):
      guard launching.phase == .awaitingReturn else { return [] }
      var running = Running(
        instance: launching.instance, isOurs: launching.isOurs, underWay: nil,
        waiting: launching.all)
      running.remembers = remembers
      return [
        .disarmWatchdog(launching.instance),
        .answerCheckIn(launching.instance, reason: nil, style: style),
      ] + proceed(running)
    case (.launching(let launching), .exited) where launching.phase == .awaitingReturn,
      (.launching(let launching), .connectionLost) where launching.phase == .awaitingReturn:
      return [.disarmWatchdog(launching.instance)] + launch(for: launching.waiting)
    case (.launching(let launching), .watchdogFired) where launching.phase == .awaitingReturn:
      return [.forget(launching.instance)] + launch(for: launching.waiting)
    case (.ending(let ending), .checkedInByItself(let remembers, let takesConnectionOptions)):
      return fail(
        ending.failing,
        "another process of the application replaced it",
        wasLaunching: ending.wasLaunching)
        + (remembers.map { serve(ending.waiting, remembers: $0) }
          ?? launchInstead(ending.waiting, style(takesConnectionOptions)))

    case (.launching(let launching), .answered(_, let id, let answer)):
      return withdraw(id, from: launching, answer)
    case (.launching(let launching), .finishedLaunching(_, let answers)):
      return [.disarmWatchdog(launching.instance)] + finish(launching, answers)

    case (.launching(let launching), .ownsName): return meet(launching)
    case (.launching(let launching), .ownsNameByItself(let ranBefore)):
      return meetInstead(of: launching, ranBefore: ranBefore)
    case (.notRunning, .ownsNameByItself): return meet(byItself: [])
    case (.ending(let ending), .ownsNameByItself):
      return fail(
        ending.failing,
        "another process of the application replaced it",
        wasLaunching: ending.wasLaunching)
        + meet(byItself: ending.waiting)

    case (.running(var running), .answered(_, let id, let answer)):
      guard let underWay = running.underWay, underWay.request.id == id else { return [] }
      running.underWay = nil
      return settle(underWay, answer) + afterwards(underWay, running, answer)

    case (.launching(let launching), .connectionLost):
      return [.disarmWatchdog(launching.instance)]
        + lose(
          launching.instance, isOurs: launching.isOurs, wasLaunching: true, with: launching.all,
          waiting: [])
    case (.running(let running), .connectionLost):
      let lost = running.underWay.flatMap { $0.isCancelled ? nil : $0.request }
      return lose(
        running.instance, isOurs: running.isOurs, with: lost.map { [$0] } ?? [],
        waiting: running.waiting)

    case (.launching(let launching), .exited(_, let how, _)):
      state = .notRunning
      return [.disarmWatchdog(launching.instance)]
        + fail(launching.all, how, wasLaunching: true)
    case (.running(let running), .exited(_, let how, _)):
      let lost = running.underWay.flatMap { $0.isCancelled ? nil : $0.request }
      return fail(lost.map { [$0] } ?? [], how) + launch(for: running.waiting)
    case (.ending(let ending), .exited(_, let how, let wasAsked)):
      return fail(
        ending.failing, wasAsked ? "it left the bus, and \(how)" : how,
        wasLaunching: ending.wasLaunching)
        + launch(for: ending.waiting)

    case (.running(let running), .retired):
      guard running.underWay == nil, running.waiting.isEmpty, running.isOurs else { return [] }
      return lose(running.instance, isOurs: true, with: [], waiting: [])

    case (.launching(let launching), .watchdogFired(_, let seconds)):
      let missed =
        launching.phase == .awaitingFinish ? "call FinishLaunching" : "check in"
      let failure = OpenFailure.launchTimedOut(
        "\(slot.application) did not \(missed) within \(seconds) s")
      return launching.all.map { .fail($0.id, failure) }
        + lose(launching.instance, isOurs: launching.isOurs, with: [], waiting: [])

    case (.launching(var launching), .cancelled(let id)):
      guard launching.all.contains(where: { $0.id == id }) else { return [] }
      launching.waiting.removeAll { $0.id == id }
      if launching.reason?.id == id {
        switch launching.phase {
        case .awaitingCheckIn, .awaitingReturn: launching.reason = nil
        case .awaitingFinish: launching.isReasonCancelled = true
        }
      }
      state = .launching(launching)
      let missing =
        launching.phase == .awaitingFinish ? "called FinishLaunching" : "checked in"
      return [cancel(id, isHandedOver: launching.reason?.id == id, missing: missing)]
    case (.running(var running), .cancelled(let id)):
      if running.underWay?.request.id == id {
        guard running.underWay?.isCancelled == false else { return [] }
        running.underWay?.isCancelled = true
        state = .running(running)
        return [cancel(id, isHandedOver: true)]
      }
      guard running.waiting.contains(where: { $0.id == id }) else { return [] }
      running.waiting.removeAll { $0.id == id }
      state = .running(running)
      return [cancel(id, isHandedOver: false)]
    case (.ending(var ending), .cancelled(let id)):
      guard ending.waiting.contains(where: { $0.id == id }) else { return [] }
      ending.waiting.removeAll { $0.id == id }
      state = .ending(ending)
      return [cancel(id, isHandedOver: false)]

    // Late events that change nothing.
    case (.notRunning, .launchFailed), (.notRunning, .checkedIn), (.notRunning, .answered),
      (.notRunning, .finishedLaunching), (.notRunning, .connectionLost), (.notRunning, .exited),
      (.notRunning, .watchdogFired), (.notRunning, .cancelled), (.notRunning, .retired),
      (.notRunning, .returned), (.notRunning, .ownsName), (.running, .ownsName),
      (.running, .ownsNameByItself), (.ending, .ownsName),
      (.launching, .retired), (.launching, .ranBefore),
      (.running, .launchFailed), (.running, .checkedIn), (.running, .checkedInByItself),
      (.running, .finishedLaunching), (.running, .watchdogFired), (.running, .ranBefore),
      (.running, .returned), (.ending, .ranBefore), (.ending, .returned),
      (.ending, .launchFailed), (.ending, .checkedIn), (.ending, .finishedLaunching),
      (.ending, .answered), (.ending, .connectionLost), (.ending, .watchdogFired),
      (.ending, .retired):
      return []
    }
  }
}
