internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

// One switch: what the rules decide is carried out here and nowhere else.

extension Daemon {
  /// Tells the rules what happened to an instance, and acts.
  func happened(_ event: HandlerLifecycle.Event, to instance: InstanceID) {
    // Without the bus nothing can be known of handlers: what they have is left as it is.
    guard !session.isStopped else { return }
    perform(lifecycles.handle(event, of: instance, in: registry))
  }

  func perform(_ effects: [HandlerLifecycle.Effect]) {
    for effect in effects {
      switch effect {
      case .launch(let instance, let reason):
        if let open = reason.flatMap({ opens[$0.id] }), open.options.newInstance {
          extraInstances.add(instance, of: open.share)
        }
        supervisor.launch(instance) { [weak self] in self?.launch(instance, reason) }
      case .answerCheckIn(let instance, let reason): answerCheckIn(instance, reason)
      case .disarmWatchdog(let instance):
        supervisor.disarmWatchdog(instance)
        activations.remove(instance)
        launchIsOver(instance)
      case .deliver(let request, let instance): deliveries.deliver(request, to: instance)
      case .stop(let instance):
        end(instance)
        launchIsOver(instance)
      case .forget(let instance):
        remove(instance)
        exitWaiters.ended(instance, how: "left the bus")
      case .succeed(let request, let outcome): succeed(request, outcome)
      case .fail(let request, let failure): fail(request, failure)
      case .foreground(let effect): perform(effect)
      }
    }
    tellWatchers()
  }

  // MARK: Processes

  func launchIsOver(_ id: InstanceID) {
    requests.endStart(of: id.slot.application.text, seat: id.slot.number)
    supervisor.launchEnded(id)
  }

  private func launch(_ id: InstanceID, _ reason: OpenRequest?) {
    if let application = names[id.slot.application] {
      activate(id, reason, application)
    } else {
      startProgram(id, reason)
    }
  }

  func startProgram(_ id: InstanceID, _ reason: OpenRequest?) {
    guard let application = registry.application(id.slot.application) else {
      let gone = OpenFailure.applicationNotFound(
        "\(id.slot.application) was unregistered while its URL waited")
      return happened(.launchFailed(id, gone), to: id)
    }
    var launch = ApplicationLaunch(application, reason: reason)
    launch.logSubject = reason.flatMap { opens[$0.id]?.logSubject } ?? [:]
    // An application that is met by its name reads the token beside its URL.
    let options = reason.flatMap {
      opens.takeForLaunch($0.id, withToken: !application.declaration.isDBusActivatable)
    }
    if let options { launch.take(options) }
    supervisor.start(id, launch)
  }

  /// What becomes of processes.
  func handle(_ event: SupervisionEvent) {
    switch event {
    case .unitOrdered(let unit): callers.hold(unit)
    case .unitSettled(let unit): callers.letGo(unit)
    case .started(let id, let process, let launch): started(id, process, launch)
    case .launchFailed(let id, let failure): happened(.launchFailed(id, failure), to: id)
    case .launchWithdrawn(let id):
      happened(.exited(id, how: "systemd did not start it in time"), to: id)
    case .timedOut(let id, let seconds): timedOut(id, seconds)
    case .changed(let id, let process): record(process, of: id)
    case .succeeded(let id, let process, let old): goOn(id, process, after: old)
    case .suspensionDue(let id): perform(lifecycles.suspensionDue(id, in: registry))
    case .exited(let id, let end): exited(id, end)
    }
  }

  private func started(_ id: InstanceID, _ process: SupervisedProcess, _ launch: ApplicationLaunch)
  {
    if let reason = launch.reason { opens.note(reason.id, "launched", pid: process.pid) }
    let application = id.slot.application.text
    journal.info(
      "launched",
      process.unit.map { ["application": application, "pid": "\(process.pid)", "unit": $0] }
        ?? ["application": application, "pid": "\(process.pid)"], about: launch.logSubject)
    if settings.delivery.completesWhenInvoked, let reason = launch.reason {
      invoked(reason, .cold)
    }
  }

  private func timedOut(_ id: InstanceID, _ seconds: Int) {
    if lifecycles.isExpectedBack(id), let pid = supervisor[id]?.pid {
      journal.warning(
        "a process did not check in again within \(seconds) s: it runs on, but cannot be reached",
        ["application": id.slot.application.text, "pid": "\(pid)"])
    }
    happened(.watchdogFired(id, seconds: seconds), to: id)
  }

  private func exited(_ id: InstanceID, _ end: ProcessEnd) {
    guard let state = state(of: id), state.load > 0, deliveries.awaitLastMessages(of: id, end)
    else { return ended(id, end) }
  }

  /// What becomes of connections and deliveries.
  func handle(_ event: DeliveryService.Event) {
    switch event {
    case .answered(let id, let request, let answer):
      happened(.answered(id, request, answer), to: id)
    case .invoked(let request): invoked(request, .warm)
    case .connectionLost(let id): happened(.connectionLost(id), to: id)
    case .stayedWithoutName(let id): leave(id)
    case .ended(let id, let end): ended(id, end)
    }
  }

  private func ended(_ id: InstanceID, _ status: ProcessEnd) {
    let process = supervisor[id]
    remove(id)
    launchIsOver(id)
    exitWaiters.ended(id, how: "\(status)")
    journal.info("ended", ["application": id.slot.application.text, "how": "\(status)"])
    happened(
      .exited(
        id, how: status.sentence(unit: process?.unit),
        wasAsked: process?.wasTerminated ?? false), to: id)
  }

  func end(_ id: InstanceID) {
    guard activations.remove(id) != nil else { return supervisor.end(id) }
    supervisor.disarmWatchdog(id)
    happened(.exited(id, how: "the bus did not start it"), to: id)
  }

  // MARK: Foreground and background

  private func perform(_ effect: Foreground.Effect) {
    switch effect {
    case .show(let id, let visibility): deliveries.show(visibility, to: id)
    case .awaitSuspension(let id): supervisor.awaitSuspension(id)
    case .suspend(let id): supervisor.suspend(id)
    case .resume(let id): supervisor.resume(id)
    case .retire: break  // the rules make this an end of its lifecycle
    }
  }

  // MARK: Fates

  /// The opener is told now and not again (R4.3).
  func invoked(_ request: OpenRequest, _ launch: OpenOutcome.Launch) {
    answer(request.id, OpenOutcome(launch, .unacknowledged, handled: false), keep: true)
  }

  private func succeed(_ request: RequestID, _ outcome: OpenOutcome) {
    opens.note(request, outcome.delivery.rawValue)
    answer(request, outcome, keep: false)
  }

  private func answer(_ request: RequestID, _ outcome: OpenOutcome, keep: Bool) {
    guard let open = keep ? opens[request] : opens.settle(request) else { return }
    // Nobody may be told of a named request what a crash could make forgotten; others need not wait for it.
    let receipt = Receipt(
      request: request.number, handler: open.handler.text, outcome: outcome,
      pid: UInt32(open.pid), trail: open.trail)
    noteFate(open, .success(outcome), isFinal: !keep) {
      for waiter in open.waiters { waiter.succeed(receipt.dictionary) }
    }
    journal.info(
      "an open succeeded",
      [
        "application": open.handler.text, "launch": outcome.launch.rawValue,
        "delivery": outcome.delivery.rawValue,
      ], about: open.logSubject)
  }

  /// Of the process that an open of this application was for.
  private func unit(of application: BundleIdentifier) -> String? {
    lifecycles.states(of: application).first?.instance.flatMap { supervisor[$0]?.unit }
  }

  func fail(_ request: RequestID, _ failure: OpenFailure) {
    opens.note(request, "failed")
    guard let open = opens.settle(request) else { return }
    let failure = unit(of: open.handler).map(failure.namingTimeOut) ?? failure
    journal.notice(
      "an open failed",
      ["application": open.handler.text, "reason": open.discreet(failure).sentence],
      about: open.logSubject)
    noteFate(open, .failure(failure), isFinal: true) {
      for waiter in open.waiters { waiter.fail(failure.busError) }
    }
  }
}

extension ApplicationLaunch {
  fileprivate mutating func take(_ options: OpenOptions) {
    arguments = options.arguments
    environment = options.environment
    activationToken = options.activationToken
    standardInput = options.standardInput
    standardOutput = options.standardOutput
    standardError = options.standardError
  }
}
