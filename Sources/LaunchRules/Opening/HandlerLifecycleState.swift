// Properties of lifecycle states.

extension HandlerLifecycle.Launching {
  /// The requests with unanswered openers.
  var all: [OpenRequest] {
    guard let reason, !isReasonCancelled else { return waiting }
    return [reason] + waiting
  }
}

extension HandlerLifecycle.State {
  package var instance: InstanceID? {
    switch self {
    case .notRunning: nil
    case .launching(let launching): launching.instance
    case .running(let running): running.instance
    case .ending(let ending): ending.instance
    }
  }

  /// Whether the process is being ended.
  package var isEnding: Bool {
    if case .ending = self { true } else { false }
  }

  /// The request that is being delivered.
  package var handedOver: RequestID? {
    switch self {
    case .launching(let launching): launching.reason?.id
    case .running(let running): running.underWay?.request.id
    case .notRunning, .ending: nil
    }
  }

  /// Whether there is a process, or one is being started.
  var isTaken: Bool {
    if case .notRunning = self { false } else { true }
  }

  var isRunning: Bool {
    if case .running = self { true } else { false }
  }

  /// Number of requests that wait or are being delivered.
  package var load: Int {
    switch self {
    case .notRunning: 0
    case .launching(let launching): launching.all.count
    case .running(let running): running.waiting.count + (running.underWay == nil ? 0 : 1)
    case .ending(let ending): ending.waiting.count + ending.failing.count
    }
  }

  /// The name of the state, for `Explain` and lists.
  package var name: String {
    switch self {
    case .notRunning: "not running"
    case .launching(let launching):
      launching.phase == .awaitingReturn ? "returning" : "launching"
    case .running: "running"
    case .ending: "ending"
    }
  }
}

extension HandlerLifecycle.Event {
  var instance: InstanceID? {
    switch self {
    case .openRequested, .checkedInByItself, .ownsNameByItself, .ranBefore, .cancelled: nil
    case .launchFailed(let instance, _), .checkedIn(let instance, _),
      .finishedLaunching(let instance, _), .answered(let instance, _, _),
      .connectionLost(let instance), .exited(let instance, _, _),
      .watchdogFired(let instance, _),
      .retired(let instance), .returned(let instance, _), .ownsName(let instance):
      instance
    }
  }
}
