internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision

// How a handler says that it is there, and that it has finished launching.

extension Daemon {
  func checkIn(
    _ options: CheckInOptions, _ caller: Caller, _ facts: CallerTable.Facts, _ call: PendingCall
  ) {
    if checkInLate(options, facts, call) { return }
    if let running = deliveries.instance(on: call.sender) {
      return refuse(.alreadyRunning(running), call)
    }
    var claim = CheckInRule.Claim(caller, showedToken: options.token != nil)
    if let token = options.token, let instance = supervisor.instance(ofToken: token) {
      // One that was stolen stays good for the process it was given to.
      if isProcess(facts, caller, of: instance) {
        claim.tokenOf = supervisor.take(token: token)
      } else {
        claim.isTokenStolen = true
      }
    }
    let own = supervisor.instance(ofProcess: facts.own) ?? returning(options, facts)
    claim.isProcessOf = own
    // The daemon that gave the token out has ended; the process is known by more than that.
    if claim.tokenOf == nil, let own, lifecycles.isExpectedBack(own) { claim.tokenOf = own }
    if let text = options.bundleIdentifier {
      guard let claimed = BundleIdentifier(text) else {
        return call.fail(
          .invalidArguments("option 'bundle-identifier': '\(text)' is not a bundle identifier"))
      }
      claim.claimed = claimed
    }
    claim.startedAs = identifier.instance(startedAs: facts)
    claim.byExecutable = facts.executable.flatMap(store.application)
    guard !claim.showedToken, let name = claim.claimed.flatMap({ BusName($0.text) }) else {
      return admit(claim, options, facts, call)
    }
    let question = Message.call(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "GetNameOwner", [.string(name.text)])
    session.call(question, deadline: .seconds(10)) { [weak self] answer in
      claim.ownsClaimedName = (try? answer.get())?.first?.asString == call.sender
      self?.answered(claim, options, facts, call)
    }
  }

  /// What the process that was started had started in turn, and what had checked in with an earlier daemon.
  private func returning(_ options: CheckInOptions, _ facts: CallerTable.Facts) -> InstanceID? {
    guard options.isRunning, let started = identifier.instance(startedAs: facts) else {
      return nil
    }
    return lifecycles.isExpectedBack(started) ? started : nil
  }

  /// It is the process that was started, or one of those it started in turn.
  private func isProcess(
    _ facts: CallerTable.Facts, _ caller: Caller, of instance: InstanceID
  ) -> Bool {
    guard let started = supervisor[instance] else { return false }
    if facts.lineage.contains(where: { $0.pid == started.pid && $0.startTime == started.startTime })
      || supervisor.instance(startedAs: facts.ancestry) == instance
    {
      return true
    }
    // It has lost all those it was started by, and is nobody else.
    guard case .application(instance.slot.application, _) = caller else { return false }
    return true
  }

  /// The bus has said who owns the name. Much may have changed meanwhile, and who the caller is as well.
  private func answered(
    _ claim: CheckInRule.Claim, _ options: CheckInOptions, _ facts: CallerTable.Facts,
    _ call: PendingCall
  ) {
    guard callers.isConnected(call.sender) else { return }
    if let running = deliveries.instance(on: call.sender) {
      return refuse(.alreadyRunning(running), call)
    }
    do throws(BusError) {
      var claim = claim
      claim.caller = try identifier.caller(on: call.sender, facts)
      admit(claim, options, facts, call)
    } catch {
      server.refuse(call, error)
    }
  }

  private func admit(
    _ claim: CheckInRule.Claim, _ options: CheckInOptions, _ facts: CallerTable.Facts,
    _ call: PendingCall
  ) {
    let decision = checkInRule.decide(claim)
    do throws(LifecycleTable.CheckInRefusal) {
      let manner =
        options.isRunning
        ? LifecycleTable.Return(
          remembers: options.remembersRequests,
          wasActive: options.state == Foreground.Visibility.active.rawValue) : nil
      let wasExpected = claim.isProcessOf.map(lifecycles.isExpectedBack) ?? false
      let (instance, effects) = try lifecycles.checkIn(
        decision, comingBack: manner, in: registry)
      if supervisor[instance] == nil {
        supervisor.add(instance, pid: facts.own.pid, startTime: facts.own.startTime)
        supervisor.armWatchdog(instance)
      }
      if wasExpected, manner == nil {
        // It has a whole launch before it.
        supervisor.armWatchdog(instance)
      }
      deliveries.checkedIn(
        instance, on: call.sender, at: options.objectPath,
        wantsDescriptors: options.wantsDescriptors || facts.flatpak != nil)
      supervisor.noteSuccessor(
        of: instance, pid: facts.own.pid, startTime: facts.own.startTime)
      checkIns[instance] = call
      // Systemd is still asked how the process ended that was started.
      if supervisor[instance]?.hasEnded == true, !deliveries.awaitsLastMessages(of: instance) {
        supervisor.continueInSuccessor(instance)
      }
      perform(effects)
    } catch {
      refuse(error, call)
    }
  }

  private func refuse(_ refusal: LifecycleTable.CheckInRefusal, _ call: PendingCall) {
    switch refusal {
    case .notRegistered(let why): call.fail(RegistrationFailure.notRegistered(why).busError)
    case .notPermitted(let why):
      let program = callers.facts(of: call.sender)?.executable?.path ?? "?"
      journal.warning("a check-in was refused", ["caller": program, "reason": why])
      call.fail(RegistrationFailure.notPermitted(why).busError)
    case .alreadyRunning(let instance):
      let pid = supervisor[instance]?.pid ?? 0
      let text = "\(instance.slot.application) runs already, as process \(pid)"
      call.fail(RegistrationFailure.alreadyRunning(text).busError)
    }
  }

  func answerCheckIn(_ instance: InstanceID, _ reason: OpenRequest?) {
    let open = reason.flatMap { opens[$0.id] }
    if let reason { opens.note(reason.id, "checked-in") }
    let application = registry.application(instance.slot.application)
    let usesScenes = application?.declaration.usesScenes ?? false
    // The answer is the delivery of a scene application.
    guard usesScenes, let open, let process = supervisor[instance] else {
      return answerCheckIn(instance, open, [], usesScenes: usesScenes)
    }
    noteDelivering(open, to: (process.pid, process.startTime ?? 0)) { [weak self] _ in
      self?.deliveries.withFiles(of: open, for: instance) { files in
        // Without a file the application still learns of the document.
        let files = (try? files.get()) ?? []
        self?.answerCheckIn(instance, open, files, usesScenes: usesScenes)
      }
    }
  }

  private func answerCheckIn(
    _ instance: InstanceID, _ open: PendingOpen?, _ files: [OwnedDescriptor], usesScenes: Bool
  ) {
    let application = registry.application(instance.slot.application)
    var answer = Delivery.checkInAnswer(
      open, files, style: usesScenes ? .scene : .delegate,
      launchImage: open.flatMap { application?.launchImage(for: $0.payload) })
    let actions = dynamicQuickActions[instance.slot.application]
    if !actions.isEmpty { answer[Key.shortcutItems] = .optionsList(actions.map(\.dictionary)) }
    checkIns.removeValue(forKey: instance)?.succeed([.options(answer)])
  }

  /// It has nothing to do any more. Ended by us and not by itself, so that nothing is on its way to it
  /// when it goes: from now on what comes waits for the next process.
  func retire(_ call: PendingCall) throws(BusError) {
    guard let instance = deliveries.instance(on: call.sender) else {
      throw RegistrationFailure.notPermitted("call CheckIn before Retire").busError
    }
    let effects = lifecycles.handle(.retired(instance), of: instance, in: registry)
    call.succeed([.boolean(!effects.isEmpty)])
    perform(effects)
  }

  func finishLaunching(_ answers: LaunchAnswers, _ call: PendingCall) throws(BusError) {
    guard let instance = deliveries.instance(on: call.sender) else {
      throw RegistrationFailure.notPermitted("call CheckIn before FinishLaunching").busError
    }
    call.succeed()
    happened(.finishedLaunching(instance, answers), to: instance)
  }
}
