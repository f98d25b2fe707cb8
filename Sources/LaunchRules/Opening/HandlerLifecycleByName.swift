// Applications that export `org.freedesktop.Application`: they are ready when they own their bus name.

extension HandlerLifecycle {
  /// It has no launch methods that could object, and no check-in to be answered.
  mutating func meet(_ launching: Launching) -> [Effect] {
    // It has checked in, and so speaks the other protocol.
    guard launching.phase != .awaitingFinish else { return [] }
    return [.disarmWatchdog(launching.instance)] + serve(launching)
  }

  /// Whoever owns the name is the application. Ours was started for nothing, or by the bus.
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

  /// Nothing was started for it.
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
