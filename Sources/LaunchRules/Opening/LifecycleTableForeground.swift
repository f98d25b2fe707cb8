// Changes of the active application through events of lifecycles.

extension LifecycleTable {
  /// Inserts the visibility changes that an event causes among the other effects, each at its place.
  mutating func addingForeground(
    to effects: [Effect], of event: Event, _ before: HandlerLifecycle.State,
    _ after: HandlerLifecycle.State, _ application: InstalledApplication?
  ) -> [Effect] {
    var shown: [Effect] = []
    func show(_ effects: [Foreground.Effect]) { shown += effects.map(Effect.foreground) }
    if let old = before.instance, old != after.instance { foreground.left(old) }
    if case .answered(let instance, _, _) = event, case .running = after {
      show(foreground.delivered(to: instance))
    }
    if case .running(let running) = after, !before.isRunning {
      var reason: OpenRequest?
      var removedReasonActivates: Bool?
      if case .launching(let launching) = before {
        reason = launching.reason
        removedReasonActivates = launching.activates
      }
      foreground.launched(
        running.instance, maySuspend: running.isOurs,
        exitsOnSuspend: application?.declaration.exitsOnSuspend ?? false)
      if reason == nil || running.underWay?.request != reason {
        // The process was launched without a request, or for a request that its launch methods have handled.
        let activates = comesToFront ?? reason?.activates ?? removedReasonActivates ?? true
        show(foreground.delivering(to: running.instance, activates: activates))
        show(foreground.delivered(to: running.instance))
      }
    }
    for effect in effects {
      switch effect {
      case .deliver(let request, let instance):
        show(foreground.delivering(to: instance, activates: request.activates))
      case .stop(let instance), .forget(let instance): foreground.left(instance)
      case .launch, .answerCheckIn, .disarmWatchdog, .succeed, .fail, .foreground: break
      }
      shown.append(effect)
    }
    return shown
  }

  /// Handles the end of the suspension delay of an application in the background.
  package mutating func suspensionDue(
    _ instance: InstanceID, in registry: Registry
  ) -> [Effect] {
    foreground.suspensionDue(instance).flatMap { effect in
      if case .retire = effect { return handle(.retired(instance), of: instance, in: registry) }
      return [.foreground(effect)]
    }
  }

  /// Resumes all suspended applications before the daemon ends.
  package mutating func resumeAll() -> [Effect] { foreground.resumeAll().map(Effect.foreground) }

  /// The name of the state as in R5.1. Additional names are `launching`, `ending`, and `returning` for a
  /// process that ran before this daemon and has not checked in again.
  package func stateName(of state: HandlerLifecycle.State) -> String {
    state.instance.flatMap(foreground.visibility)?.rawValue ?? state.name
  }
}
