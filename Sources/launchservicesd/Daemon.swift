internal import ApplicationFolders
internal import BusContract
internal import Commands
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records
internal import RegistryLoading

/// The daemon: gathers events, lets the rules decide, and carries out what they say.
final class Daemon {
  let session: BusSession
  let settings: Settings
  let journal: Journal
  let environment: HandlerEnvironment
  let checkInRule: CheckInRule

  let store: RegistryStore
  var lifecycles: LifecycleTable
  let supervisor: ProcessSupervisor
  let deliveries: DeliveryService
  let opens: PendingOpens
  let admissionRule: AdmissionRule
  let extraInstances = ExtraInstances()
  let requests: RequestStore
  /// What the daemon before this one has left.
  let before: RecordedBefore
  let dynamicQuickActions: DynamicQuickActions
  let exitWaiters = ExitWaiters()
  var monitors = Monitors(most: 16)
  var watchers = Watchers()
  var readingWatchers = Monitors(most: 16)
  /// Where the user who started the daemon sees how far its reading is.
  let progress: ProgressLine?
  let confirmations: ConfirmationService
  let notices: NotificationAgent
  let direct: PeerServer
  let resting: Resting
  let callers: CallerTable
  let server: ObjectServer
  let files = FileLooker()
  let mimeTypes: DesktopMIMETypes
  let names: ApplicationNames
  let services: ServiceManager
  /// Applications that the bus is to start.
  var activations: Set<InstanceID> = []
  /// Check-ins the rules have not answered yet.
  var checkIns: [InstanceID: PendingCall] = [:]
  private(set) lazy var identifier = CallerIdentifier(
    deliveries: deliveries, processes: supervisor,
    registered: { [unowned self] in registry.application($0) },
    owner: { [unowned self] in store.application(running: $0) },
    isTool: { [unowned self] in desktopExporter.isTool($0) })
  let desktopExporter: DesktopExporter
  let redirectLoops = RedirectLoopGuard()
  let links: AssociatedDomains
  var isStopping = false

  init(_ session: BusSession, _ configuration: Configuration, _ journal: Journal) {
    self.session = session
    self.journal = journal
    resting = Resting(journal)
    progress = configuration.showsProgress ? ProgressLine(command: "launchservicesd") : nil
    settings = configuration.settings
    environment = HandlerEnvironment(inheriting: configuration.environment)
    direct = PeerServer(
      path: settings.takesDirectConnections ? configuration.directSocket : nil,
      hasBus: session.connection != nil, journal)
    checkInRule = CheckInRule(allowsUnverified: configuration.allowsUnverifiedCheckIn)
    dynamicQuickActions = DynamicQuickActions(
      StateFile(path: configuration.stateFolder + "/shortcut-items.plist", isBinary: true), journal)
    desktopExporter = DesktopExporter(
      StateFile(path: configuration.stateFolder + "/desktop.plist"), environment,
      UserFolders(environment: configuration.environment), journal)
    mimeTypes = DesktopMIMETypes(environment, journal)
    let associations = AssociationStore(
      added: configuration.stateFolder + "/links", fetched: configuration.cacheFolder + "/links",
      journal)
    notices = NotificationAgent(session)
    confirmations = ConfirmationService(
      settings.confirmations,
      StateFile(
        path: configuration.stateFolder + "/approvals.plist", largest: ApprovalState.largest),
      notices, journal
    ) { [direct] in direct[$0] ?? session }
    services = ServiceManager(session, journal)
    links = AssociatedDomains(
      settings.associations, StateFile(path: configuration.stateFolder + "/links.plist"),
      associations,
      AssociationFetcher(
        associations, services, environment,
        StateFile(path: configuration.cacheFolder + "/links.plist"),
        isAllowed: settings.associations.fetches, launcher: settings.launch.launcher,
        server: configuration.associationServer, journal),
      journal)
    callers = CallerTable(
      session, direct, settings.confirmations.webOrigin, services,
      configuration.processesSocket.map { ProcessLookup(socket: $0, journal) }, journal)
    server = ObjectServer(session, callers, .allowed(by: settings.opens))
    names = ApplicationNames(session)
    supervisor = ProcessSupervisor(
      settings.launch.supervision, environment, units: UnitBackend(services, journal),
      children: ChildBackend(), journal)
    let clock = RequestClock()
    let record = configuration.stateFolder + "/requests.sqlite"
    let recordWatch = RecordWatch(record)
    requests = RequestStore(
      path: record, limit: settings.record.limit, age: settings.record.age, now: { clock.earliest },
      remark: { remark in
        remark.log(journal)
        recordWatch.begin()
      })
    before = requests.start()
    recordWatch.onChange = { [requests] in requests.lookAtPlace() }
    recordWatch.begin()
    // Where nobody knows which numbers were given out, the time is greater than any.
    opens = PendingOpens(after: before.lastNumber ?? RequestClock.now / 1000) { [requests] in
      requests.reserve($0)
    }
    lifecycles = LifecycleTable(
      queueLimit: settings.opens.maximumQueueLength, instanceLimit: settings.launch.maximumInstances
    )
    admissionRule = AdmissionRule(
      mostOpens: settings.opens.maximumOpensPerCaller,
      longestQueue: settings.opens.maximumQueueLength,
      mostBytes: settings.opens.maximumPendingBytes)
    store = RegistryStore(
      .init(
        folders: configuration.folders, stateFolder: configuration.stateFolder,
        cache: RecordCache(path: configuration.cacheFolder + "/applications", program: Self.build),
        lookInterval: configuration.lookInterval, policy: settings.registry.collisionPolicy,
        maximumRegistrations: settings.registry.maximumRegistrations), journal)
    deliveries = DeliveryService(
      session, direct, callers, supervisor, opens, settings.delivery, journal)
    deliveries.onEvent = { [unowned self] in handle($0) }
    deliveries.recordDelivery = { [unowned self] in noteDelivering($0, to: $1, then: $2) }
    deliveries.openFiles = { [unowned self] in openFiles(of: $0, $1) }
    supervisor.onEvent = { [unowned self] in handle($0) }
    supervisor.recordStarts { [unowned self] in noteStart($0, token: $1, unit: $2, then: $3) }
    supervisor.findSuccessor = { [unowned self] in successor(of: $0) }
    store.onChange = { [unowned self] in handle($0) }
    store.onRead = { [resting] in resting.worked() }
    store.onProgress = { [unowned self] in tellReading($0, of: $1) }
  }

  var registry: Registry { store.registry }

  /// Reads the registry and starts to listen. Own the bus name after this.
  func start() async {
    await store.start()
    dropQuickActions()
    services.start()
    expectSurvivors()
    serveCalls()
    notices.mayAnswer = { [unowned self] in await isNoApplication($0) }
    confirmations.onProceed = { [unowned self] in confirmed($0) }
    confirmations.onFail = { [unowned self] in fail($0, $1) }
    redirectLoops.onLoop = { [unowned self] url, reason in
      notices.tell("\(subject(url).prefix(200)) is not opened", reason)
    }
    session.onSignal = { [unowned self] in received(signal: $0) }
    names.onFound = { [unowned self] in meet($0, $1, ranBefore: true) }
    session.start()
    names.start()
    if hasBus { desktopExporter.start() }
    links.start(registry)
  }

  /// False when callers connect directly, all of them, and so no handler is reached.
  var hasBus: Bool { session.connection != nil }

  /// The session that a caller is connected by.
  func session(of caller: String) -> BusSession { direct[caller] ?? session }

  private func serveCalls() {
    server.onWork = { [resting] in resting.worked() }
    server.registryProperties = { [unowned self] in
      [
        "Generation": .uint64(registry.generation),
        "DesktopExport": .boolean(desktopExporter.isOn),
      ]
    }
    server.onRequest = { [unowned self] request throws(BusError) in try answer(request) }
    server.onForget = { [callers] in callers.forget($0) }
    server.serve(session)
    direct.onConnect = { [unowned self] name, session in
      callers.arrived(name)
      // Now, because the process may run another program when it calls.
      callers.withFacts(of: name) { _ in }
      server.serve(session)
    }
    direct.onDisconnect = { [unowned self] name in
      left(name)
      deliveries.leftDirectly(name)
    }
    direct.onUnreachable = { [unowned self] in
      stop()
      exit(1)
    }
  }

  /// Those of applications that are no longer registered.
  func dropQuickActions() {
    dynamicQuickActions.keep { registry.application($0) != nil }
  }

  /// The registry has changed, or applications were read again that are as they were.
  private func handle(_ change: RegistryChange) {
    let touched = names.count == 0 ? [] : change.applications ?? Array(names.known)
    for identifier in Set(touched).union(change.activatable) {
      names.update(identifier, registry.application(identifier))
    }
    if change.changesRegistry {
      dropQuickActions()
      desktopExporter.registryChanged()
      if change.changesLinks { links.declarationsChanged(in: registry) }
      RegistrySignals.sendChanged(registry.generation, to: session)
    }
    links.installed(change.linkDomains)
  }

  /// Tells this build of the program from others.
  private static var build: String {
    let stamp = try? FileStamp(path: "/proc/self/exe")
    return stamp.map(\.description) ?? ""
  }

  // MARK: Signals of the bus

  /// Ask the bus to tell that a connection has come or gone. Owners of names are watched one by one, too.
  static let nameChanges =
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
    + "member='NameOwnerChanged'"

  private func received(signal: borrowing Message) {
    if signal.interface == NotificationAgent.server.text { return notices.received(signal) }
    if services.received(signal) { return }
    guard signal.sender == "org.freedesktop.DBus", signal.member == "NameOwnerChanged" else {
      return
    }
    let arguments = signal.arguments().compactMap(\.asString)
    guard let name = arguments.first, let owner = arguments.last else { return }
    if name == ServiceManagerContract.name.text { services.ownerChanged(owner) }
    guard name.hasPrefix(":") else { return ownerChanged(of: name, to: owner) }
    if owner.isEmpty { left(name) } else { callers.arrived(name) }
  }

  /// A connection has gone.
  func left(_ name: String) {
    deliveries.takeLastAnswers(of: name)
    callers.left(name)
    server.left(name)
    monitors.remove(name)
    watchers.connections.remove(name)
    readingWatchers.remove(name)
    confirmations.left(name)
    exitWaiters.forget(name)
    deliveries.left(name)
  }
}
