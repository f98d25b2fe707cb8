internal import BusContract
internal import CallerIdentity
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

/// Owns the lifecycles of handlers. Tells the rules what happens to opens and handlers, and carries out what the rules
/// decide: here and nowhere else.
final class OpenCoordinator {
  enum Event {
    /// The states of applications may have changed.
    case changed
    /// An instance has ended.
    /// - Parameter how: such as `exited with code 0`.
    case ended(InstanceID, how: String)
  }

  private(set) var lifecycles: LifecycleTable
  private var extraInstances: ExtraInstances
  private let store: RegistryStore
  private let supervisor: ProcessSupervisor
  private let deliveries: DeliveryService
  private let opens: PendingOpens
  private let processes: HandlerProcesses
  private let checkIns: CheckInService
  private let fates: FateReporter
  private(set) var isStopped = false

  var onEvent: (Event) -> Void = { _ in }

  init(
    lifecycles: LifecycleTable, extraInstances: ExtraInstances, store: RegistryStore,
    supervisor: ProcessSupervisor, deliveries: DeliveryService,
    opens: PendingOpens, processes: HandlerProcesses, checkIns: CheckInService,
    fates: FateReporter
  ) {
    self.lifecycles = lifecycles
    self.extraInstances = extraInstances
    self.store = store
    self.supervisor = supervisor
    self.deliveries = deliveries
    self.opens = opens
    self.processes = processes
    self.checkIns = checkIns
    self.fates = fates
  }

  private var registry: Registry { store.registry }

  // MARK: Questions

  func state(of id: InstanceID) -> HandlerLifecycle.State? {
    lifecycles.states(of: id.slot.application).first { $0.instance == id }
  }

  /// The application runs, or is about to.
  func runs(_ identifier: BundleIdentifier) -> Bool { !lifecycles.states(of: identifier).isEmpty }

  /// The instance served the daemon before this one, and has not checked in again.
  func isExpectedBack(_ id: InstanceID) -> Bool { lifecycles.isExpectedBack(id) }

  /// The process that serves an application, or is expected back.
  func process(of identifier: BundleIdentifier) -> RepeatedRequest.Process? {
    lifecycles.states(of: identifier).first?.instance.flatMap { supervisor[$0] }.map {
      RepeatedRequest.Process(pid: $0.pid, startTime: $0.startTime ?? 0)
    }
  }

  /// The process that has checked in for an instance whose own process has ended; nil when there is none, or when the
  /// application was asked to end.
  func successor(of id: InstanceID) -> (pid: Int32, startTime: UInt64)? {
    guard let state = state(of: id), !state.isEnding,
      deliveries.connection(of: id) != nil || lifecycles.isExpectedBack(id)
    else { return nil }
    return supervisor[id]?.successor.map { ($0.pid, $0.startTime) }
  }

  // MARK: Opens

  /// - Throws: LimitExceeded, when the caller has had too many processes started besides others.
  func checkInstances(of share: String) throws(OpenFailure) {
    try extraInstances.check(share) { lifecycles.has($0) }
  }

  /// Hands an open to its application, which is launched when it does not run.
  func begin(_ open: PendingOpen) throws(OpenFailure) {
    let effects = try effects(of: open, open.application)
    opens.add(open.request.id, open)
    perform(effects)
  }

  /// The user has confirmed the open.
  func confirmed(_ id: RequestID) {
    guard let open = opens[id] else { return }
    opens.record(id, "confirmed")
    do throws(OpenFailure) {
      perform(try effects(of: open, try registry.installed(open.handler)))
    } catch {
      fail(id, error)
    }
  }

  private func effects(
    of open: PendingOpen, _ application: InstalledApplication
  ) throws(OpenFailure) -> [HandlerLifecycle.Effect] {
    // The processes that may get an open with `new-instance` instead of another new one.
    let slots = open.options.instances.compactMap { pid in
      supervisor.instance(running: Int32(truncatingIfNeeded: pid))?.slot
    }
    return try lifecycles.open(
      open.request, with: application, newInstance: open.options.newInstance, orAmong: slots)
  }

  /// The opener wants it no longer.
  func cancel(_ id: RequestID) { perform(lifecycles.cancel(id, in: registry)) }

  func fail(_ id: RequestID, _ failure: OpenFailure) {
    let states = opens[id].map { lifecycles.states(of: $0.handler) }
    let unit = states?.first?.instance.flatMap { supervisor[$0]?.unit }
    fates.fail(id, failure, unit: unit)
  }

  // MARK: Effects

  /// Tells the rules of an event of an instance, and carries out their effects.
  func handle(_ event: HandlerLifecycle.Event, of instance: InstanceID) {
    // Without the bus nothing can be known of handlers: what they have is left as it is.
    guard !deliveries.isCutOff else { return }
    perform(lifecycles.handle(event, of: instance, in: registry))
  }

  func perform(_ effects: [HandlerLifecycle.Effect]) {
    for effect in effects {
      switch effect {
      case .launch(let id, let reason):
        if let open = reason.flatMap({ opens[$0.id] }), open.options.newInstance {
          extraInstances.add(id, of: open.usage.share)
        }
        processes.launch(id, for: reason)
      case .answerCheckIn(let id, let reason, let style):
        if let reason { opens.record(reason.id, "checked-in") }
        checkIns.answer(id, reason.flatMap { opens[$0.id] }, style)
      case .disarmWatchdog(let id):
        supervisor.disarmWatchdog(id)
        processes.endActivation(of: id)
        processes.launchEnded(id)
      case .deliver(let request, let id): deliveries.deliver(request, to: id)
      case .stop(let id):
        end(id)
        processes.launchEnded(id)
      case .forget(let id):
        processes.remove(id)
        onEvent(.ended(id, how: "left the bus"))
      case .succeed(let request, let outcome): fates.succeed(request, outcome)
      case .fail(let request, let failure): fail(request, failure)
      case .foreground(let effect): perform(effect)
      }
    }
    onEvent(.changed)
  }

  private func perform(_ effect: Foreground.Effect) {
    switch effect {
    case .show(let id, let visibility): deliveries.show(visibility, to: id)
    case .awaitSuspension(let id): supervisor.awaitSuspension(id)
    case .suspend(let id): supervisor.suspend(id)
    case .resume(let id): supervisor.resume(id)
    case .retire: break  // the rules make this an end of its lifecycle
    }
  }

  private func end(_ id: InstanceID) {
    if !processes.end(id) { handle(.exited(id, how: "the bus did not start it"), of: id) }
  }
}

// MARK: - Events

extension OpenCoordinator {
  /// The process of an instance has ended, and nothing more comes from it.
  func ended(_ id: InstanceID, _ end: ProcessEnd) {
    let process = processes.ended(id, end)
    onEvent(.ended(id, how: "\(end)"))
    handle(
      .exited(
        id, how: end.sentence(unit: process?.unit), wasAsked: process?.wasTerminated ?? false),
      of: id)
  }

  /// The connection of an instance can be used no longer; its process is asked to end when it is ours.
  func leave(_ id: InstanceID) {
    handle(.connectionLost(id), of: id)
    end(id)
  }

  func suspensionDue(_ id: InstanceID) {
    perform(lifecycles.suspensionDue(id, in: registry))
  }

  /// The call with which a handler checks in: which instance it is, and what follows once that is known to the
  /// components.
  func checkIn(
    _ decision: CheckInRule.Decision, comingBack manner: LifecycleTable.Return?,
    takesConnectionOptions: Bool
  ) throws(LifecycleTable.CheckInRefusal) -> (InstanceID, [HandlerLifecycle.Effect]) {
    try lifecycles.checkIn(
      decision, comingBack: manner, takesConnectionOptions: takesConnectionOptions, in: registry)
  }

  /// A process owns the bus name of an application: which instance it is, and what follows.
  /// - Returns: nil when nothing follows.
  func meet(
    _ decision: CheckInRule.Decision, ranBefore: Bool
  ) -> (InstanceID, [HandlerLifecycle.Effect])? {
    lifecycles.meet(decision, ranBefore: ranBefore, in: registry)
  }

  /// The handler has nothing to do any more. The daemon ends it, so that nothing is on its way to it when it goes: from
  /// now on what comes waits for the next process.
  /// - Returns: what asks the process to end, once the call is answered; nil when the handler may not go.
  func retire(_ id: InstanceID) -> (() -> Void)? {
    let effects = lifecycles.handle(.retired(id), of: id, in: registry)
    return effects.isEmpty ? nil : { [weak self] in self?.perform(effects) }
  }

  /// Waits for a process that served the daemon before this one, instead of starting another.
  /// - Returns: nil when nobody waits for the process.
  func expect(_ identifier: BundleIdentifier, slot: Int, isOurs: Bool) -> InstanceID? {
    lifecycles.expect(identifier, slot: slot, isOurs: isOurs, in: registry)
  }

  /// Nothing more happens to opens; those under way get a fate from `FateReporter.cutOffAll`.
  func stop() {
    isStopped = true
    deliveries.stop()
    perform(lifecycles.resumeAll())
  }
}
