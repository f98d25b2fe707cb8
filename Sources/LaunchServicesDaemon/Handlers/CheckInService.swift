internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Handles the check-ins of handlers: collects the facts about the process, and replies after the rules have
/// decided.
final class CheckInService {
  /// A check-in with the facts about its process.
  struct CheckIn {
    let claim: CheckInRule.Claim
    let options: CheckInOptions
    let facts: CallerTable.Facts
    let call: PendingCall

    /// The state that a process reports which served a previous daemon; nil after a launch.
    var comingBack: LifecycleTable.Return? {
      guard options.isRunning else { return nil }
      return LifecycleTable.Return(
        remembers: options.remembersRequests,
        wasActive: options.state == Foreground.Visibility.active.rawValue)
    }
  }

  private let session: BusSession
  private let callers: CallerTable
  private let identifier: CallerIdentifier
  private let processes: ProcessSupervisor
  private let deliveries: DeliveryService
  private let store: RegistryStore
  private let quickActions: DynamicQuickActions
  private let journal: Journal
  /// Check-ins without a reply so far.
  private var calls: [InstanceID: PendingCall] = [:]

  /// Called with each check-in. The receiver calls `accept` or `refuse`.
  var onCheckIn: (CheckIn) -> Void = { _ in }

  init(
    session: BusSession, callers: CallerTable, identifier: CallerIdentifier,
    processes: ProcessSupervisor, deliveries: DeliveryService, store: RegistryStore,
    quickActions: DynamicQuickActions, journal: Journal
  ) {
    self.session = session
    self.callers = callers
    self.identifier = identifier
    self.processes = processes
    self.deliveries = deliveries
    self.store = store
    self.quickActions = quickActions
    self.journal = journal
  }

  // MARK: Receiving

  /// - Parameter isExpectedBack: whether an instance served the previous daemon and has not checked in again.
  func checkIn(
    _ options: CheckInOptions, _ caller: IdentifiedCaller, _ call: PendingCall,
    isExpectedBack: (InstanceID) -> Bool
  ) throws(BusError) {
    let facts = caller.facts
    if checkInLate(options, facts, call) { return }
    if let running = deliveries.instance(on: call.sender) {
      return refuse(.alreadyRunning(running), call)
    }
    var claim = CheckInRule.Claim(caller.caller, showedToken: options.token != nil)
    if let token = options.token, let instance = processes.instance(ofToken: token) {
      // A token stays valid for the process that received it when another process presents it.
      if isProcess(caller, of: instance) {
        claim.tokenOf = processes.take(token: token)
      } else {
        claim.isTokenStolen = true
      }
    }
    let own =
      processes.instance(ofProcess: facts.own)
      ?? returning(options, facts).flatMap { isExpectedBack($0) ? $0 : nil }
    claim.isProcessOf = own
    // The token came from a previous daemon. The process is identified by its ancestry instead.
    if claim.tokenOf == nil, let own, isExpectedBack(own) { claim.tokenOf = own }
    if let text = options.bundleIdentifier {
      guard let claimed = BundleIdentifier(text) else {
        throw .invalidArguments(
          "option 'bundle-identifier': '\(text)' is not a bundle identifier")
      }
      claim.claimed = claimed
      claim.claimsDesktopEntry =
        store.registry.application(claimed)?.isStartedByBridge == true
    }
    claim.startedAs = identifier.instance(startedAs: facts)
    claim.byExecutable = facts.executable.map(store.owner)?.application
    let checkIn = CheckIn(claim: claim, options: options, facts: facts, call: call)
    guard !claim.showedToken, let name = claim.claimed.flatMap({ BusName($0.text) }) else {
      return onCheckIn(checkIn)
    }
    session.call(MessageBus.nameOwner(name), deadline: .seconds(10)) { [weak self] answer in
      self?.answered(checkIn, owner: (try? answer.get())?.first?.asString)
    }
  }

  /// The instance that a process may have served for a previous daemon, found by the process that was started
  /// for the instance.
  private func returning(_ options: CheckInOptions, _ facts: CallerTable.Facts) -> InstanceID? {
    options.isRunning ? identifier.instance(startedAs: facts) : nil
  }

  /// Whether the caller is the process started for the instance, or a descendant of that process.
  private func isProcess(_ caller: IdentifiedCaller, of instance: InstanceID) -> Bool {
    guard let started = processes[instance] else { return false }
    let facts = caller.facts
    if facts.lineage.contains(where: { $0.pid == started.pid && $0.startTime == started.startTime })
      || processes.instance(startedAs: facts.ancestry) == instance
    {
      return true
    }
    // The ancestors of the process have ended. The caller must still be identified as the application.
    guard case .application(instance.slot.application, _) = caller.caller else { return false }
    return true
  }

  /// Continues a check-in after the bus has returned the owner of the name. The connection may have closed,
  /// or the caller may have changed, in the meantime.
  private func answered(_ checkIn: CheckIn, owner: String?) {
    let call = checkIn.call
    guard callers.isConnected(call.sender) else { return }
    if let running = deliveries.instance(on: call.sender) {
      return refuse(.alreadyRunning(running), call)
    }
    do throws(BusError) {
      var claim = checkIn.claim
      claim.ownsClaimedName = owner == call.sender
      claim.caller = try identifier.caller(on: call.sender, checkIn.facts)
      onCheckIn(
        CheckIn(claim: claim, options: checkIn.options, facts: checkIn.facts, call: call))
    } catch {
      call.fail(error)
    }
  }

  /// Handles the check-in of a process that was known by its bus name only. From then on the daemon uses the
  /// handler interface for the process.
  private func checkInLate(
    _ options: CheckInOptions, _ facts: CallerTable.Facts, _ call: PendingCall
  ) -> Bool {
    let own = deliveries.instance(on: call.sender) ?? processes.instance(ofProcess: facts.own)
    guard let own, deliveries.isMetByName(own) else { return false }
    deliveries.checkedIn(
      own, on: call.sender, at: options.objectPath, wantsDescriptors: false)
    calls[own] = call
    answer(own, nil, .delegate)
    return true
  }

  // MARK: Deciding

  /// Records the check-in as that of `instance`. The reply is sent when the rules have decided its contents.
  func accept(_ checkIn: CheckIn, as instance: InstanceID) {
    deliveries.checkedIn(
      instance, on: checkIn.call.sender, at: checkIn.options.objectPath,
      wantsDescriptors: checkIn.options.wantsDescriptors || checkIn.facts.flatpak != nil)
    calls[instance] = checkIn.call
  }

  func refuse(_ refusal: LifecycleTable.CheckInRefusal, _ call: PendingCall) {
    switch refusal {
    case .notRegistered(let why): call.fail(RegistrationFailure.notRegistered(why).busError)
    case .notPermitted(let why):
      let program = callers.facts(of: call.sender)?.executable?.path ?? "?"
      journal.warning("a check-in was refused", ["caller": program, "reason": why])
      call.fail(RegistrationFailure.notPermitted(why).busError)
    case .alreadyRunning(let instance):
      let pid = processes[instance]?.pid ?? 0
      let text = "\(instance.slot.application) runs already, as process \(pid)"
      call.fail(RegistrationFailure.alreadyRunning(text).busError)
    }
  }

  // MARK: Answering

  /// - Parameters:
  ///   - open: the open that the application was launched for.
  ///   - style: with `scene`, the answer delivers the open.
  func answer(_ instance: InstanceID, _ open: PendingOpen?, _ style: DeliveryStyle) {
    guard style == .scene, let open, processes[instance] != nil else {
      return answer(instance, open, [], style)
    }
    deliveries.record(open, to: instance) { [weak self] isRecorded in
      guard isRecorded || !open.isRecorded else {
        self?.deliveries.refuseUnrecorded(open.request, to: instance)
        self?.answer(instance, nil, [], .delegate)
        return
      }
      self?.deliveries.withFiles(of: open, for: instance) { files in
        // If the documents cannot be opened, the application still receives their URLs.
        let files = (try? files.get()) ?? []
        self?.answer(instance, open, files, style)
      }
    }
  }

  private func answer(
    _ instance: InstanceID, _ open: PendingOpen?, _ files: [OwnedDescriptor],
    _ style: DeliveryStyle
  ) {
    let application = store.registry.application(instance.slot.application)
    var answer = Delivery.checkInAnswer(
      open, files, style: style,
      launchImage: open.flatMap { application?.launchImage(for: $0.payload) })
    let actions = quickActions[instance.slot.application]
    if !actions.isEmpty { answer[Key.shortcutItems] = .optionsList(actions.map(\.dictionary)) }
    calls.removeValue(forKey: instance)?.succeed([.options(answer)])
  }
}
