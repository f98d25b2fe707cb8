internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host
internal import LaunchRules
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
        if launchSlots.begin(instance) {
          launch(instance, reason)
        } else {
          waitingLaunches[instance] = .some(reason)
        }
      case .answerCheckIn(let instance, let reason): answerCheckIn(instance, reason)
      case .disarmWatchdog(let instance):
        instances.change(instance) { $0.watchdog = nil }
        activations[instance] = nil
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

  /// The next one may begin.
  func launchIsOver(_ id: InstanceID) {
    requests.endStart(of: id.seat.application.text, seat: id.seat.number)
    waitingLaunches[id] = nil
    guard let next = launchSlots.ended(id), let reason = waitingLaunches.removeValue(forKey: next)
    else { return }
    launch(next, reason)
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
    // An application that is met by its name reads the token beside its URL.
    guard !DescriptorLimit.isNear(Self.reservedDescriptors) else {
      let short = OpenFailure.limitExceeded(
        "\(id.seat.application) is not started, because the daemon is short of file descriptors: end some"
          + " applications, or raise LimitNOFILE of launchservicesd.service")
      return happened(.launchFailed(id, short), to: id)
    }
    let options =
      reason.flatMap {
        opens.takeForLaunch($0.id, withToken: !application.declaration.isDBusActivatable)
      } ?? OpenOptions()
    let token = randomToken()
    do throws(OpenFailure) {
      let program = try ProgramLookup.find(application, path: environment.path)
      let launch = Launch(
        executable: program.executable, arguments: program.arguments + options.arguments,
        environment: environment.variables(for: application, options, token: token),
        workingDirectory: environment.home)
      start(
        id,
        StartingProcess(
          application: application, launch: launch, options: options, token: token, reason: reason))
    } catch {
      happened(.launchFailed(id, error), to: id)
    }
  }

  /// A process takes some, and the callers that are there need others to be known.
  private static let reservedDescriptors: UInt = 32

  func watchdog(_ id: InstanceID) -> Deadline {
    let seconds = settings.launch.timeout
    return Deadline(after: .seconds(seconds)) { [weak self] in
      self?.happened(.watchdogFired(id, seconds: seconds), to: id)
    }
  }

  /// What the process said last may be on its way still, and an open that it has answered must not
  /// fail. It comes before the bus says that the connection has gone.
  func exited(_ id: InstanceID, _ status: ProcessEnd) {
    if goesOnInSuccessor(id) { return }
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
    let unit = instances[id]?.unit
    let wasAsked = instances[id]?.isAskedToEnd ?? false
    remove(id)
    launchIsOver(id)
    exitWaiters.ended(id, how: "\(status)")
    journal.info("ended", ["application": id.seat.application.text, "how": "\(status)"])
    happened(.exited(id, how: status.sentence(unit: unit), wasAsked: wasAsked), to: id)
  }

  /// Sends SIGTERM, then SIGKILL after 2 s.
  func end(_ id: InstanceID) {
    if activations.removeValue(forKey: id) != nil {
      return happened(.exited(id, how: "the bus did not start it"), to: id)
    }
    if let starting = startingUnits.removeValue(forKey: id) {
      services.stop(starting.name)
      return happened(.exited(id, how: "systemd did not start it in time"), to: id)
    }
    guard let process = instances[id]?.process else { return }
    // One that has ended by itself leaves the bus, too, and perhaps is not reaped yet.
    let runs = ProcessDetails(of: process.pid)?.hasEnded == false
    thaw(id)
    process.signalGroup(SIGTERM)
    process.signalGroup(SIGCONT)  // a suspended one would not hear of it
    instances.change(id) {
      $0.watchdog = nil
      $0.suspension = nil
      // The time of the first SIGTERM counts, however often the process loses its bus name after that.
      guard $0.killTimer == nil else { return }
      $0.isAskedToEnd = runs
      $0.killTimer = Deadline(after: .seconds(2)) { process.signalGroup(SIGKILL) }
    }
  }

  // MARK: Foreground and background

  private func perform(_ effect: Stage.Effect) {
    switch effect {
    case .show(let id, let visibility): show(visibility, to: id)
    case .awaitSuspension(let id):
      guard let seconds = settings.launch.suspendAfter else { return }
      instances.change(id) {
        $0.suspension = Deadline(after: .seconds(seconds)) { [weak self] in
          guard let self else { return }
          perform(lifecycles.suspensionDue(id, in: registry))
        }
      }
    case .suspend(let id): suspend(id)
    case .resume(let id): resume(id)
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
    let instance = instances[id]
    if let instance, instance.isLeaving {
      return happened(.answered(id, request.id, .notDelivered), to: id)
    }
    guard let open = opens[request.id], let instance,
      let connection = instance.connection.flatMap(BusName.init)
    else {
      // The opener was answered before; the handler loses nothing but a URL nobody waits for.
      return happened(.answered(id, request.id, .refused("it is not connected")), to: id)
    }
    open.note("delivering", pid: instance.pid)
    if open.isForDesktopBridge { instances.change(id) { $0.bridged = open.payload.urls } }
    noteDelivering(open, to: (instance.pid, instance.startTime ?? 0)) { [weak self] isRecorded in
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

  private func hand(
    _ open: PendingOpen, _ files: [OwnedDescriptor], _ request: OpenRequest, to id: InstanceID,
    at connection: BusName
  ) {
    guard !isStopping else { return }
    guard let instance = instances[id], instance.connection == connection.text,
      !instance.isLeaving
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
    lifecycles.states(of: application).first?.instance.flatMap { instances[$0]?.unit }
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
