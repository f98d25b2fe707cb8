internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision

// Applications that export org.freedesktop.Application. They never check in: owning the bus name is
// both who they are and that they are ready.

extension Daemon {
  // MARK: Owners of the names

  /// The bus says that a well-known name has another owner, or none.
  func ownerChanged(of name: String, to owner: String) {
    guard let identifier = names.changed(name, owner: owner) else { return }
    if let id = deliveries.instance(metAs: identifier), deliveries.connection(of: id) != owner {
      let state = state(of: id)
      deliveries.lostName(id, mayEnd: supervisor[id]?.isOurs == true && state?.load == 0)
    }
    guard !owner.isEmpty else { return }
    meet(identifier, owner, ranBefore: lifecycles.states(of: identifier).isEmpty)
  }

  /// - Parameter ranBefore: nobody has started it for what waits.
  func meet(_ identifier: BundleIdentifier, _ owner: String, ranBefore: Bool) {
    callers.withFacts(of: owner) { [weak self] facts in
      guard let self, names.owner(of: identifier) == owner else { return }
      do throws(BusError) {
        let facts = try known(facts)
        let caller = try self.identifier.caller(on: owner, facts)
        meet(identifier, owner, caller, facts, ranBefore: ranBefore)
      } catch {
        refuse(identifier, error.text)
      }
    }
  }

  private func meet(
    _ identifier: BundleIdentifier, _ owner: String, _ caller: Caller, _ facts: CallerTable.Facts,
    ranBefore: Bool
  ) {
    guard let application = names[identifier], deliveries.instance(on: owner) == nil else { return }
    let own = supervisor.instance(ofProcess: facts.own)
    if let old = deliveries.instance(metAs: identifier) {
      // It gave the name up for a moment.
      if old == own { return deliveries.met(old, as: application, on: owner) }
      leave(old)
    }
    let decision = checkInRule.decide(
      CheckInRule.Claim(
        caller, claimed: identifier, byExecutable: facts.executable.flatMap(store.application),
        startedAs: self.identifier.instance(startedAs: facts), isProcessOf: own,
        ownsClaimedName: true))
    if case .refused(let why) = decision { return refuse(identifier, why) }
    guard let (instance, effects) = lifecycles.meet(decision, ranBefore: ranBefore, in: registry)
    else { return }
    if supervisor[instance] == nil {
      supervisor.add(instance, pid: facts.own.pid, startTime: facts.own.startTime)
    }
    deliveries.met(instance, as: application, on: owner)
    perform(effects)
  }

  /// Somebody owns the name who is not believed to be the application, and nobody else can own it.
  private func refuse(_ identifier: BundleIdentifier, _ why: String) {
    journal.warning(
      "the owner of a bus name is refused", ["application": identifier.text, "reason": why])
    let failure = OpenFailure.launchFailed(
      "the owner of the bus name \(identifier) is not believed: \(why)")
    for id in activations where id.slot.application == identifier {
      happened(.launchFailed(id, failure), to: id)
    }
  }

  /// It can be used no longer, and is asked to end when it is ours.
  func leave(_ id: InstanceID) {
    happened(.connectionLost(id), to: id)
    end(id)
  }

  // MARK: Launching

  /// Lets the bus start it, else starts its program.
  func activate(_ id: InstanceID, _ reason: OpenRequest?, _ application: FreedesktopApplication) {
    let options = reason.flatMap { opens[$0.id]?.options }
    if options?.shapesProcess == true { return startProgram(id, reason) }
    activations.insert(id)
    supervisor.armWatchdog(id)
    if let owner = names.owner(of: id.slot.application), deliveries.instance(on: owner) == nil {
      // It is not known yet, or did not answer before and is not ours to end.
      return meet(id.slot.application, owner, ranBefore: true)
    }
    session.call(
      MessageBus.startService(application.name), deadline: .seconds(settings.launch.timeout + 1)
    ) { [weak self] answer in
      // Else it owns its name already, or nobody waits for it any longer.
      guard let self, activations.contains(id) else { return }
      activated(id, reason, answer)
    }
  }

  private func activated(
    _ id: InstanceID, _ reason: OpenRequest?, _ answer: Result<[Value], BusError>
  ) {
    switch answer {
    case .success:
      if let reason { opens.note(reason.id, "launched") }
      if settings.delivery.completesWhenInvoked, let reason { invoked(reason, .cold) }
    case .failure(let error) where MessageBus.mayStillStart(error):
      activations.remove(id)
      let failure = OpenFailure.launchFailed(
        "the message bus could not start \(id.slot.application): \(error.text)")
      happened(.launchFailed(id, failure), to: id)
    case .failure(let error):
      activations.remove(id)
      if error.name != MessageBus.serviceUnknown {
        journal.warning(
          "the message bus could not start an application; its program is started instead",
          ["application": id.slot.application.text, "reason": error.text],
          about: reason.flatMap { opens[$0.id]?.logSubject } ?? [:])
      }
      startProgram(id, reason)
    }
  }

  // MARK: Both protocols

  /// A process that was met by its name checks in after all: from now on it is spoken to as any
  /// application of ours.
  func checkInLate(
    _ options: CheckInOptions, _ facts: CallerTable.Facts, _ call: PendingCall
  ) -> Bool {
    let own =
      deliveries.instance(on: call.sender) ?? supervisor.instance(ofProcess: facts.own)
    guard let own, deliveries.isMetByName(own) else { return false }
    deliveries.checkedIn(
      own, on: call.sender, at: options.objectPath, wantsDescriptors: false)
    checkIns[own] = call
    answerCheckIn(own, nil)
    return true
  }
}

nonisolated extension OpenOptions {
  /// It says how a process is started, which only its starter can do.
  fileprivate var shapesProcess: Bool { !arguments.isEmpty || !environment.isEmpty || hasStreams }
}
