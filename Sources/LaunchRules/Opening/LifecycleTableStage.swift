// Who is in front when something happens to an application.

extension LifecycleTable {
  /// What is seen of an event, woven into what is done about it.
  mutating func staged(
    _ effects: [Effect], of event: Event, _ before: HandlerLifecycle.State,
    _ after: HandlerLifecycle.State, _ application: InstalledApplication?
  ) -> [Effect] {
    var shown: [Effect] = []
    func show(_ effects: [Stage.Effect]) { shown += effects.map(Effect.stage) }
    if let old = before.instance, old != after.instance { stage.left(old) }
    if case .answered(let instance, _, _) = event, case .running = after {
      show(stage.delivered(to: instance))
    }
    if case .running(let running) = after, !before.isRunning {
      var reason: OpenRequest?
      if case .launching(let launching) = before { reason = launching.reason }
      stage.launched(
        running.instance, maySuspend: running.isOurs,
        exitsOnSuspend: application?.declaration.exitsOnSuspend ?? false)
      if reason == nil || running.underWay?.request != reason {
        // Launched for nothing, or with what its launch methods have dealt with.
        let activates = comesToFront ?? reason?.activates ?? true
        show(stage.delivering(to: running.instance, activates: activates))
        show(stage.delivered(to: running.instance))
      }
    }
    for effect in effects {
      switch effect {
      case .deliver(let request, let instance):
        show(stage.delivering(to: instance, activates: request.activates))
      case .stop(let instance), .forget(let instance): stage.left(instance)
      case .launch, .answerCheckIn, .disarmWatchdog, .succeed, .fail, .stage: break
      }
      shown.append(effect)
    }
    return shown
  }

  /// An application has been in the background for the time of the settings.
  package mutating func suspensionDue(
    _ instance: InstanceID, in registry: Registry
  ) -> [Effect] {
    stage.suspensionDue(instance).flatMap { effect in
      if case .retire = effect { return handle(.retired(instance), of: instance, in: registry) }
      return [.stage(effect)]
    }
  }

  /// Before the daemon ends.
  package mutating func resumeAll() -> [Effect] { stage.resumeAll().map(Effect.stage) }

  /// The state in the words of R5.1, with `launching` and `ending` for what comes before and after, and
  /// `returning` for what ran before this daemon and has not checked in again.
  package func stateName(of state: HandlerLifecycle.State) -> String {
    state.instance.flatMap(stage.visibility)?.rawValue ?? state.name
  }
}
