/// Determines which applications have started and ended since the last update (R6.11).
package struct RunningWatch: Hashable, Sendable {
  package enum Event: Hashable, Sendable {
    case willLaunch(InstanceID)
    case launched(InstanceID)
    /// Only for an application that had finished launching.
    case terminated(InstanceID)
  }

  /// The applications with a process, and whether each has finished launching.
  private var known: [InstanceID: Bool]

  /// - Parameter running: the running applications, whose start is not reported.
  package init(_ running: [HandlerLifecycle.State]) {
    known = [:]
    _ = update(running)
  }

  /// Ended applications come first.
  package mutating func update(_ running: [HandlerLifecycle.State]) -> [Event] {
    var now: [InstanceID: Bool] = [:]
    var events: [Event] = []
    for state in running {
      guard let instance = state.instance else { continue }
      let before = known[instance]
      let hasLaunched = before == true || state.hasLaunched
      now[instance] = hasLaunched
      // The start of a process that served the previous daemon was reported by that daemon.
      if before == nil, !state.isExpectedBack { events.append(.willLaunch(instance)) }
      if before != true, hasLaunched, !state.isExpectedBack { events.append(.launched(instance)) }
    }
    let gone = known.filter { $0.value && now[$0.key] == nil }.keys.sorted {
      ($0.slot.application.text, $0.ordinal) < ($1.slot.application.text, $1.ordinal)
    }
    known = now
    return gone.map(Event.terminated) + events
  }
}

extension HandlerLifecycle.State {
  fileprivate var hasLaunched: Bool { isRunning || isExpectedBack }

  fileprivate var isExpectedBack: Bool {
    guard case .launching(let launching) = self else { return false }
    return launching.phase == .awaitingReturn
  }
}
