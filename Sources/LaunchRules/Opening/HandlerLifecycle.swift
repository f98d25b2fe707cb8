/// The life of one application in one slot: which process there is, and which requests wait for it.
///
/// Pure: it decides, the caller acts. Feed it events in the order they happened and carry out the
/// effects it returns, in order. Every request it was given ends in exactly one `succeed` or
/// `fail`, and requests are delivered one at a time, in order of arrival.
package struct HandlerLifecycle: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case notRunning
    /// A process was started or has come by itself; it is not ready for requests yet.
    case launching(Launching)
    case running(Running)
    /// A process that must go is on its way out; what waits starts the next one.
    case ending(Ending)
  }

  package struct Launching: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
      /// It ran when the daemon was started, and is to check in again.
      case awaitingReturn
      case awaitingCheckIn
      case awaitingFinish
    }
    package var instance: InstanceID
    /// The daemon started it, so it may also stop it.
    package var isOurs: Bool
    package var phase: Phase
    /// The request that is the reason of the launch.
    package var reason: OpenRequest?
    /// The opener of the reason has been answered already.
    package var isReasonCancelled = false
    /// How its process gets the reason; known when it has checked in.
    package var style: DeliveryStyle
    package var waiting: [OpenRequest]
  }

  package struct Running: Hashable, Sendable {
    package struct UnderWay: Hashable, Sendable {
      package var request: OpenRequest
      package var launch: OpenOutcome.Launch
      /// Its opener has been answered already.
      package var isCancelled = false
    }
    package var instance: InstanceID
    package var isOurs: Bool
    /// It knows which requests it was given before the daemon was started.
    package var remembers = false
    package var underWay: UnderWay?
    package var waiting: [OpenRequest]
  }

  package struct Ending: Hashable, Sendable {
    package var instance: InstanceID
    /// It had not finished launching.
    package var wasLaunching = false
    /// Lost with this process; they fail when it is known how it ended.
    package var failing: [OpenRequest]
    package var waiting: [OpenRequest]
  }

  package enum Event: Hashable, Sendable {
    case openRequested(OpenRequest)
    case launchFailed(InstanceID, OpenFailure)
    /// - Parameter takesConnectionOptions: The process knows scenes.
    case checkedIn(InstanceID, takesConnectionOptions: Bool = true)
    /// A process that this daemon did not start has checked in. It launches, or was launched long ago
    /// and says whether it remembers what it was given.
    case checkedInByItself(remembers: Bool?, takesConnectionOptions: Bool = true)
    /// A process served the daemon before this one, and may check in again.
    case ranBefore(isOurs: Bool)
    /// It has checked in again. It is told nothing, for it was launched long ago.
    case returned(InstanceID, remembers: Bool)
    case finishedLaunching(InstanceID, LaunchAnswers)
    /// It owns the bus name of its application, which exports `org.freedesktop.Application`: that is
    /// all such an application says.
    case ownsName(InstanceID)
    /// A process that this daemon did not start owns that name.
    /// - Parameter ranBefore: It did so before anything was opened; else the bus may have started it.
    case ownsNameByItself(ranBefore: Bool)
    case answered(InstanceID, RequestID, Answer)
    case connectionLost(InstanceID)
    /// - Parameter wasAsked: It still ran when it was asked to, because it had left the bus.
    case exited(InstanceID, how: String, wasAsked: Bool = false)
    case watchdogFired(InstanceID, seconds: Int)
    case cancelled(RequestID)
    /// It would be suspended now, and asked to end instead (R1.38).
    case retired(InstanceID)
  }

  /// What came back for a delivery.
  package enum Answer: Hashable, Sendable {
    case handled(Bool)
    case refused(String)
    /// With an error, in the handler's own words.
    case failed(String)
    case timedOut(seconds: Int)
    /// Nothing was delivered, because the process has ended; its exit will be an event.
    case notDelivered
  }

  package enum Effect: Hashable, Sendable {
    /// Start a process and the watchdog of its launch.
    case launch(InstanceID, reason: OpenRequest?)
    /// Answer the check-in, with what the application was launched for.
    /// - Parameter style: With `scene`, the answer delivers the reason.
    case answerCheckIn(InstanceID, reason: OpenRequest?, style: DeliveryStyle = .delegate)
    case disarmWatchdog(InstanceID)
    case deliver(OpenRequest, to: InstanceID)
    /// End the process; its exit will be an event.
    case stop(InstanceID)
    /// The process is not ours to end: only forget its connection.
    case forget(InstanceID)
    case succeed(RequestID, OpenOutcome)
    case fail(RequestID, OpenFailure)
    /// Decided by `Foreground`, never by a lifecycle.
    case foreground(Foreground.Effect)
  }

  package let slot: InstanceSlot
  /// What the property list declares. Set only while nothing runs.
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

    // Whoever checks in first is the application. Ours was started for nothing.
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
        ending.failing, "another process took its place", wasLaunching: ending.wasLaunching)
        + (remembers.map { serve(ending.waiting, remembers: $0) }
          ?? launchInstead(ending.waiting, style(takesConnectionOptions)))

    case (.launching(let launching), .finishedLaunching(_, let answers)):
      return [.disarmWatchdog(launching.instance)] + finish(launching, answers)

    case (.launching(let launching), .ownsName): return meet(launching)
    case (.launching(let launching), .ownsNameByItself(let ranBefore)):
      return meetInstead(of: launching, ranBefore: ranBefore)
    case (.notRunning, .ownsNameByItself): return meet(byItself: [])
    case (.ending(let ending), .ownsNameByItself):
      return fail(
        ending.failing, "another process took its place", wasLaunching: ending.wasLaunching)
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
      let missed = launching.phase == .awaitingCheckIn ? "check in" : "finish launching"
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
      return [cancel(id, isHandedOver: launching.reason?.id == id)]
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

    // The application answered or ended in a way that changes nothing any more.
    case (.notRunning, .launchFailed), (.notRunning, .checkedIn), (.notRunning, .answered),
      (.notRunning, .finishedLaunching), (.notRunning, .connectionLost), (.notRunning, .exited),
      (.notRunning, .watchdogFired), (.notRunning, .cancelled), (.notRunning, .retired),
      (.notRunning, .returned), (.notRunning, .ownsName), (.running, .ownsName),
      (.running, .ownsNameByItself), (.ending, .ownsName),
      (.launching, .answered), (.launching, .retired), (.launching, .ranBefore),
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
