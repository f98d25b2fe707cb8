internal import BusContract
internal import CallerIdentity
internal import LaunchRules
internal import ProcessSupervision
internal import Records

/// Handles the events of the handler components: passes them to the rules, and passes the results to the
/// other components.
final class HandlerEvents {
  private let checkInRule: CheckInRule
  private let supervisor: ProcessSupervisor
  private let deliveries: DeliveryService
  private let freedesktop: FreedesktopApplications
  private let checkIns: CheckInService
  private let processes: HandlerProcesses
  private let opens: PendingOpens
  private let fates: FateReporter
  private let coordinator: OpenCoordinator

  init(
    checkInRule: CheckInRule, supervisor: ProcessSupervisor, deliveries: DeliveryService,
    freedesktop: FreedesktopApplications, checkIns: CheckInService, processes: HandlerProcesses,
    opens: PendingOpens, fates: FateReporter, coordinator: OpenCoordinator
  ) {
    self.checkInRule = checkInRule
    self.supervisor = supervisor
    self.deliveries = deliveries
    self.freedesktop = freedesktop
    self.checkIns = checkIns
    self.processes = processes
    self.opens = opens
    self.fates = fates
    self.coordinator = coordinator
  }

  /// Handles events of processes.
  func handle(_ event: SupervisionEvent) {
    switch event {
    case .unitOrdered, .unitSettled: break  // used to identify callers only
    case .started(let id, let process, let launch): processes.started(id, process, launch)
    case .launchFailed(let id, let failure): launchFailed(id, failure)
    case .launchWithdrawn(let id):
      coordinator.handle(.exited(id, how: "systemd did not start it in time"), of: id)
    case .timedOut(let id, let seconds):
      if coordinator.isExpectedBack(id) { processes.didNotReturn(id, within: seconds) }
      coordinator.handle(.watchdogFired(id, seconds: seconds), of: id)
    case .changed(let id, let process): processes.record(process, of: id)
    case .succeeded(let id, let process, let old): continued(id, in: process, after: old)
    case .suspensionDue(let id): coordinator.suspensionDue(id)
    case .ended(let id): continueInSuccessor(id)
    case .exited(let id, let end):
      // A successor may have checked in after the process ended.
      if continueInSuccessor(id) { return }
      guard let state = coordinator.state(of: id), state.load > 0,
        deliveries.awaitLastMessages(of: id, end)
      else { return coordinator.ended(id, end) }
    }
  }

  @discardableResult private func continueInSuccessor(_ id: InstanceID) -> Bool {
    coordinator.mayContinueInSuccessor(id) && supervisor.continueInSuccessor(id)
  }

  func launchFailed(_ id: InstanceID, _ failure: OpenFailure) {
    coordinator.handle(.launchFailed(id, failure), of: id)
  }

  private func continued(
    _ id: InstanceID, in process: SupervisedProcess, after old: SupervisedProcess
  ) {
    if let open = coordinator.state(of: id)?.handedOver.flatMap({ opens[$0] }),
      open.entry.progress == .delivering
    {
      deliveries.record(open, to: id)
    }
    processes.continued(id, in: process, after: old)
  }

  /// Handles events of connections and deliveries.
  func handle(_ event: DeliveryService.Event) {
    switch event {
    case .answered(let id, let request, let answer):
      coordinator.handle(.answered(id, request, answer), of: id)
    case .invoked(let request): fates.invoked(request.id, .warm)
    case .connectionLost(let id): coordinator.handle(.connectionLost(id), of: id)
    case .stayedWithoutName(let id): coordinator.leave(id)
    case .ended(let id, let end): coordinator.ended(id, end)
    }
  }

  // MARK: Bus names

  /// Handles events of applications that are known by their bus names.
  func handle(_ event: FreedesktopApplications.Event) {
    switch event {
    case .owned(let ownership): handle(ownership)
    case .replaced(let id): coordinator.leave(id)
    case .activated(let reason): processes.activated(for: reason)
    case .notActivated(let id, let reason): processes.startProgram(id, for: reason)
    case .launchFailed(let id, let failure): launchFailed(id, failure)
    }
  }

  private func handle(_ ownership: FreedesktopApplications.Ownership) {
    let decision = checkInRule.decide(ownership.claim)
    if case .refused(let why) = decision, let identifier = ownership.claim.claimed {
      return freedesktop.refuse(identifier, why)
    }
    guard let (id, effects) = coordinator.meet(decision, ranBefore: ownership.ranBefore) else {
      return
    }
    let process = ownership.process
    if supervisor[id] == nil {
      supervisor.add(id, pid: process.pid, startTime: process.startTime)
    }
    deliveries.met(id, as: ownership.application, on: ownership.owner)
    coordinator.perform(effects)
  }

  /// Handles a change of the owner of a well-known name. An empty owner means that the name has no owner.
  func ownerChanged(of name: String, to owner: String) {
    guard let identifier = freedesktop.ownerChanged(of: name, to: owner) else { return }
    if let id = deliveries.instance(metAs: identifier), deliveries.connection(of: id) != owner {
      let isIdle = coordinator.state(of: id)?.load == 0
      deliveries.lostName(id, mayEnd: supervisor[id]?.isOurs == true && isIdle)
    }
    guard !owner.isEmpty else { return }
    freedesktop.find(identifier, owner, ranBefore: !coordinator.runs(identifier))
  }

  // MARK: Check-ins

  func handle(_ checkIn: CheckInService.CheckIn) {
    let process = checkIn.facts.own
    do throws(LifecycleTable.CheckInRefusal) {
      let wasExpected = checkIn.claim.isProcessOf.map(coordinator.isExpectedBack) ?? false
      let (id, effects) = try coordinator.checkIn(
        checkInRule.decide(checkIn.claim), comingBack: checkIn.comingBack,
        takesConnectionOptions: checkIn.options.takesConnectionOptions)
      let isNew = supervisor[id] == nil
      if isNew { supervisor.add(id, pid: process.pid, startTime: process.startTime) }
      // A process that was expected back but reports a fresh launch gets the whole launch timeout.
      if isNew || (wasExpected && checkIn.comingBack == nil) { supervisor.armWatchdog(id) }
      checkIns.accept(checkIn, as: id)
      supervisor.recordSuccessor(of: id, pid: process.pid, startTime: process.startTime)
      // The supervisor still queries systemd for the exit status of the process that was started.
      if supervisor[id]?.hasEnded == true, !deliveries.awaitsLastMessages(of: id) {
        continueInSuccessor(id)
      }
      coordinator.perform(effects)
    } catch {
      checkIns.refuse(error, checkIn.call)
    }
  }
}
