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
      case .deliver(let request, let instance): deliver(request, to: instance)
      case .stop(let instance):
        end(instance)
        launchIsOver(instance)
      case .forget(let instance):
        remove(instance)
        exitWaiters.ended(instance, how: "left the bus")
      case .succeed(let request, let outcome): succeed(request, outcome)
      case .fail(let request, let failure): fail(request, failure)
      case .stage(let effect): perform(effect)
      }
    }
    tellWatchers()
  }

  // MARK: Processes

  func launchIsOver(_ id: InstanceID) {
    requests.endStart(of: id.seat.application.text, seat: id.seat.number)
    supervisor.launchEnded(id)
  }

  private func launch(_ id: InstanceID, _ reason: OpenRequest?) {
    if let application = names[id.seat.application] {
      activate(id, reason, application)
    } else {
      startProgram(id, reason)
    }
  }

  func startProgram(_ id: InstanceID, _ reason: OpenRequest?) {
    guard let application = registry.application(id.seat.application) else {
      let gone = OpenFailure.applicationNotFound(
        "\(id.seat.application) was unregistered while its URL waited")
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
    let application = id.seat.application.text
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
        ["application": id.seat.application.text, "pid": "\(pid)"])
    }
    happened(.watchdogFired(id, seconds: seconds), to: id)
  }

  /// What the process said last may be on its way still, and an open that it has answered must not
  /// fail. It comes before the bus says that the connection has gone.
  private func exited(_ id: InstanceID, _ status: ProcessEnd) {
    guard instances[id]?.connection != nil, let state = state(of: id), state.load > 0 else {
      return ended(id, status)
    }
    instances.change(id) {
      $0.end = status
      // A child of the process may have kept the connection.
      $0.lastMessagesTimer = Deadline(after: .seconds(1)) { [weak self] in self?.ended(id, status) }
    }
  }

  func ended(_ id: InstanceID, _ status: ProcessEnd) {
    let process = supervisor[id]
    remove(id)
    launchIsOver(id)
    exitWaiters.ended(id, how: "\(status)")
    journal.info("ended", ["application": id.seat.application.text, "how": "\(status)"])
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

  private func perform(_ effect: Stage.Effect) {
    switch effect {
    case .show(let id, let visibility): show(visibility, to: id)
    case .awaitSuspension(let id): supervisor.awaitSuspension(id)
    case .suspend(let id): supervisor.suspend(id)
    case .resume(let id): supervisor.resume(id)
    case .retire: break  // the rules make this an end of its lifecycle
    }
  }

  private func show(_ visibility: Stage.Visibility, to id: InstanceID) {
    guard let instance = instances[id], instance.named == nil,
      let connection = instance.connection.flatMap(BusName.init)
    else { return }
    session(of: instance).send(
      .call(
        to: connection, path: instance.objectPath, interface: Contract.application,
        member: "StateChanged", [.string(visibility.rawValue)], expectsReply: false))
  }

  // MARK: Deliveries

  private func deliver(_ request: OpenRequest, to id: InstanceID) {
    if isLeaving(id) { return happened(.answered(id, request.id, .notDelivered), to: id) }
    guard let open = opens[request.id], let process = supervisor[id], let instance = instances[id],
      let connection = instance.connection.flatMap(BusName.init)
    else {
      // The opener was answered before; the handler loses nothing but a URL nobody waits for.
      return happened(.answered(id, request.id, .refused("it is not connected")), to: id)
    }
    open.note("delivering", pid: process.pid)
    if open.isForDesktopBridge { instances.change(id) { $0.bridged = open.payload.urls } }
    noteDelivering(open, to: (process.pid, process.startTime ?? 0)) { [weak self] isRecorded in
      guard isRecorded || !open.isRecorded else {
        // The next daemon would take it for one that nobody was given.
        self?.happened(
          .answered(id, request.id, .refused("it cannot be recorded that it is handed over")),
          to: id)
        return
      }
      self?.openFiles(of: open, for: instance) { files in
        switch files {
        case .success(let files): self?.hand(open, files, request, to: id, at: connection)
        case .failure(let error):
          self?.happened(.answered(id, request.id, .refused(error.why)), to: id)
        }
      }
    }
  }

  /// It is about to end, and hears nothing any more.
  private func isLeaving(_ id: InstanceID) -> Bool {
    instances[id]?.isLeaving == true || supervisor[id]?.hasEnded == true
  }

  private func hand(
    _ open: PendingOpen, _ files: [OwnedDescriptor], _ request: OpenRequest, to id: InstanceID,
    at connection: BusName
  ) {
    guard !isStopping else { return }
    guard let instance = instances[id], instance.connection == connection.text, !isLeaving(id)
    else {
      return happened(.answered(id, request.id, .notDelivered), to: id)
    }
    let token = opens.takeActivationToken(request.id)
    let delivery =
      if let named = instance.named {
        Delivery.message(open, activationToken: token, to: connection, of: named)
      } else {
        Delivery.message(
          open, files, activationToken: token, to: connection, path: instance.objectPath)
      }
    let answersNothing = instance.named != nil
    let isDirect = instance.direct != nil
    let seconds = settings.delivery.timeout
    session(of: instance).call(delivery, deadline: .seconds(seconds)) { [weak self] answer in
      if isDirect, case .failure(let error) = answer, error.isDisconnection {
        self?.closedDirectly(request, id)
        return
      }
      let answer = Delivery.answer(
        answersNothing ? answer.map { _ in [.boolean(true)] } : answer, to: request.kind,
        seconds: seconds)
      self?.happened(.answered(id, request.id, answer), to: id)
    }
    if settings.delivery.completesWhenInvoked { invoked(request, .warm) }
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
