// Applications that export `org.freedesktop.Application`. They are ready when they own their bus name.

extension HandlerLifecycle {
  /// Such an application has no launch methods with a veto, and no check-in to be answered.
  mutating func meet(_ launching: Launching) -> [Effect] {
    // The process has checked in, so the handler interface is used.
    guard launching.phase != .awaitingFinish else { return [] }
    return [.disarmWatchdog(launching.instance)] + serve(launching)
  }

  /// The owner of the name becomes the process of the application. The process that the daemon started is not
  /// needed, or was started by the bus.
  mutating func meetInstead(of launching: Launching, ranBefore: Bool) -> [Effect] {
    guard launching.phase != .awaitingFinish else { return [] }
    let old = launching.instance
    let ends: [Effect] = [
      .disarmWatchdog(old), launching.phase == .awaitingReturn ? .forget(old) : .stop(old),
    ]
    if ranBefore { return ends + meet(byItself: launching.all) }
    var taken = launching
    taken.instance = nextInstance()
    taken.isOurs = false
    return ends + serve(taken)
  }

  /// Handles an owner of the name while no process was started.
  mutating func meet(byItself waiting: [OpenRequest]) -> [Effect] {
    proceed(Running(instance: nextInstance(), isOurs: false, underWay: nil, waiting: waiting))
  }

  private mutating func serve(_ launching: Launching) -> [Effect] {
    var running = Running(
      instance: launching.instance, isOurs: launching.isOurs, underWay: nil,
      waiting: launching.waiting)
    guard let reason = launching.reason else { return proceed(running) }
    running.underWay = Running.UnderWay(request: reason, launch: .cold)
    state = .running(running)
    return [.deliver(reason, to: running.instance)]
  }
}
