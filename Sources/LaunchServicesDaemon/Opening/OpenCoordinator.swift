internal import BusContract
internal import CallerIdentity
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

/// Owns the lifecycles of handlers. Passes the events of opens and handlers to the rules, and is the only
/// component that carries out the effects which the rules return.
final class OpenCoordinator {
  enum Event {
    /// The states of applications may have changed.
    case changed
    /// An instance has ended.
    /// - Parameter how: a phrase such as `exited with code 0`.
    case ended(InstanceID, how: String)
  }

  private(set) var lifecycles: LifecycleTable
  private let store: RegistryStore
  private let supervisor: ProcessSupervisor
  private let deliveries: DeliveryService
  private let opens: PendingOpens
  private let processes: HandlerProcesses
  private let checkIns: CheckInService
  private let fates: FateReporter
  private let devices: DeviceDeliveries
  private(set) var isStopped = false

  var onEvent: (Event) -> Void = { _ in }

  init(
    lifecycles: LifecycleTable, store: RegistryStore,
    supervisor: ProcessSupervisor, deliveries: DeliveryService,
    opens: PendingOpens, processes: HandlerProcesses, checkIns: CheckInService,
    fates: FateReporter, devices: DeviceDeliveries
  ) {
    self.lifecycles = lifecycles
    self.store = store
    self.supervisor = supervisor
    self.deliveries = deliveries
    self.opens = opens
    self.processes = processes
    self.checkIns = checkIns
    self.fates = fates
    self.devices = devices
  }

  private var registry: Registry { store.registry }

  // MARK: Queries

  func state(of id: InstanceID) -> HandlerLifecycle.State? {
    lifecycles.states(of: id.slot.application).first { $0.instance == id }
  }

  /// Whether the application runs or is being launched.
  func runs(_ identifier: BundleIdentifier) -> Bool { !lifecycles.states(of: identifier).isEmpty }

  /// Whether the instance served the previous daemon and has not checked in again.
  func isExpectedBack(_ id: InstanceID) -> Bool { lifecycles.isExpectedBack(id) }

  /// The process that serves an application, or is expected to check in again.
  func process(of identifier: BundleIdentifier) -> RepeatedRequest.Process? {
    lifecycles.states(of: identifier).first?.instance.flatMap { supervisor[$0] }.map {
      RepeatedRequest.Process(pid: $0.pid, startTime: $0.startTime ?? 0)
    }
  }

  /// The process that has checked in for an instance whose own process has ended. Returns nil without such a
  /// process, or when the application was told to end.
  func mayContinueInSuccessor(_ id: InstanceID) -> Bool {
    guard let state = state(of: id), !state.isEnding else { return false }
    return deliveries.connection(of: id) != nil || lifecycles.isExpectedBack(id)
  }

  // MARK: Opens

  /// - Throws: what `begin` would throw now.
  /// - Returns: the application of which the open would start a process; nil when it starts none.
  func check(_ open: PendingOpen) throws(OpenFailure) -> InstalledApplication? {
    guard case .application(let application) = open.receiver else { return nil }
    return try lifecycles.check(newInstance(of: open), of: application) ? application : nil
  }

  /// Delivers an open to its application, after a launch if the application does not run, or to its device.
  func begin(_ open: PendingOpen) throws(OpenFailure) {
    switch open.receiver {
    case .application(let application):
      let effects = try effects(of: open, application)
      opens.add(open.request.id, open)
      perform(effects)
    case .device(let device, let rule):
      opens.add(open.request.id, open)
      devices.deliver(open, to: device, sentBy: rule)
    case .nobody(let failure): throw failure
    }
  }

  /// Continues an open that the user has confirmed.
  func confirmed(_ id: RequestID) {
    guard let open = opens[id] else { return }
    opens.record(id, "confirmed")
    do throws(OpenFailure) {
      switch open.receiver {
      case .application(let application):
        perform(try effects(of: open, try registry.installed(application.identifier)))
      case .device(let device, let rule): devices.deliver(open, to: device, sentBy: rule)
      case .nobody(let failure): throw failure
      }
    } catch {
      fail(id, error)
    }
  }

  private func effects(
    of open: PendingOpen, _ application: InstalledApplication
  ) throws(OpenFailure) -> [HandlerLifecycle.Effect] {
    try lifecycles.open(open.request, with: application, newInstance: newInstance(of: open))
  }

  private func newInstance(of open: PendingOpen) -> LifecycleTable.NewInstance? {
    guard open.options.newInstance else { return nil }
    let known = open.options.instances.compactMap { pid in
      supervisor.instance(running: Int32(truncatingIfNeeded: pid))?.slot
    }
    return .init(of: open.usage.share, in: open.usage.groups, orAmong: known)
  }

  /// Cancels an open at the request of the opener.
  func cancel(_ id: RequestID) {
    guard let open = opens[id], open.receiver.device != nil else {
      return perform(lifecycles.cancel(id, in: registry))
    }
    fail(
      id,
      devices.cancel(id) || open.isRepeated
        ? .deliveryUnknown(
          "the opener cancelled it while the URL was handed over to the device, which may have received it"
        )
        : .cancelled("the opener cancelled it before the URL was sent to the device"))
  }

  /// Handles the result of a delivery to a device.
  func delivered(_ id: RequestID, _ fate: Result<OpenOutcome, OpenFailure>) {
    switch fate {
    case .success(let outcome): fates.succeed(id, outcome)
    case .failure(let failure): fail(id, failure)
    }
  }

  func fail(_ id: RequestID, _ failure: OpenFailure) {
    var failure = failure
    if let open = opens[id], open.entry.progress == .delivering,
      open.receiver.application?.passesOn == true
    {
      failure = failure.whenPassedOn
    }
    if opens[id]?.isRepeated == true, case .cancelled = failure {
      failure = .deliveryUnknown(
        "an earlier daemon handed the open over, and the opener cancelled it before the application had answered"
      )
    }
    let states = opens[id].map { lifecycles.states(of: $0.handler) }
    let unit = states?.first?.instance.flatMap { supervisor[$0]?.unit }
    fates.fail(id, failure, unit: unit)
  }

  // MARK: Effects

  /// Passes an event of an instance to the rules, and carries out the effects.
  func handle(_ event: HandlerLifecycle.Event, of instance: InstanceID) {
    // Without the bus the daemon cannot learn the state of handlers, so their state is left unchanged.
    guard !deliveries.isDisconnected else { return }
    perform(lifecycles.handle(event, of: instance, in: registry))
  }

  func perform(_ effects: [HandlerLifecycle.Effect]) {
    for effect in effects {
      switch effect {
      case .launch(let id, let reason): processes.launch(id, for: reason)
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
    case .retire: break  // the rules turn this into an end of the lifecycle
    }
  }

  private func end(_ id: InstanceID) {
    if !processes.end(id) { handle(.exited(id, how: "the bus did not start it"), of: id) }
  }
}

// MARK: - Events

extension OpenCoordinator {
  /// Handles the end of the process of an instance, after its last messages have been read.
  func ended(_ id: InstanceID, _ end: ProcessEnd) {
    let process = processes.ended(id, end)
    onEvent(.ended(id, how: "\(end)"))
    handle(
      .exited(
        id, how: end.sentence(unit: process?.unit), wasAsked: process?.wasTerminated ?? false),
      of: id)
  }

  /// Handles an unusable connection of an instance. The process is told to end if the daemon started it.
  func leave(_ id: InstanceID) {
    handle(.connectionLost(id), of: id)
    end(id)
  }

  func suspensionDue(_ id: InstanceID) {
    perform(lifecycles.suspensionDue(id, in: registry))
  }

  /// Applies the decision about a check-in to the lifecycles. Returns the instance and the effects, to be
  /// performed once the other components know the instance.
  func checkIn(
    _ decision: CheckInRule.Decision, comingBack manner: LifecycleTable.Return?,
    takesConnectionOptions: Bool
  ) throws(LifecycleTable.CheckInRefusal) -> (InstanceID, [HandlerLifecycle.Effect]) {
    try lifecycles.checkIn(
      decision, comingBack: manner, takesConnectionOptions: takesConnectionOptions, in: registry)
  }

  /// Applies the decision about a process that owns the bus name of an application. Returns the instance and
  /// the effects.
  /// - Returns: nil when nothing is to be done.
  func meet(
    _ decision: CheckInRule.Decision, ranBefore: Bool
  ) -> (InstanceID, [HandlerLifecycle.Effect])? {
    lifecycles.meet(decision, ranBefore: ranBefore, in: registry)
  }

  /// Retires a handler that has no work left. New opens wait for the next process from then on, so no
  /// delivery can be lost.
  /// - Returns: a closure that tells the process to end, to be run after the call is answered; nil when the
  ///   handler may not end.
  func retire(_ id: InstanceID) -> (() -> Void)? {
    let effects = lifecycles.handle(.retired(id), of: id, in: registry)
    return effects.isEmpty ? nil : { [weak self] in self?.perform(effects) }
  }

  /// Waits for a process that served the previous daemon, instead of starting another process.
  /// - Returns: nil when no open waits for the process.
  func expect(_ identifier: BundleIdentifier, slot: Int, isOurs: Bool) -> InstanceID? {
    lifecycles.expect(identifier, slot: slot, isOurs: isOurs, in: registry)
  }

  /// Ends the handling of opens. `FateReporter.cutOffAll` settles the pending ones.
  func stop() {
    isStopped = true
    deliveries.stop()
    devices.stop()
    perform(lifecycles.resumeAll())
  }
}
