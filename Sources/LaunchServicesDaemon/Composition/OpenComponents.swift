internal import CallerIdentity
internal import DBusMainLoop
internal import DaemonSettings
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// The components that accept opens, ask the user about them, and carry them out.
struct OpenComponents {
  let notices: NotificationAgent
  let confirmations: ConfirmationService
  let redirectLoops = RedirectLoopGuard()
  let decider: OpenDecider
  let opens: OpenService
  let callbacks: LoginCallbacks
  let coordinator: OpenCoordinator
  let handlerEvents: HandlerEvents
  let exitSubscribers = ExitSubscribers()
  let applications: ApplicationSubscribers
  let reading: ReadingSubscribers
  let dispatcher: CallDispatcher
  let remotes: Remotes
  let paces: OutsidePaces
  let devices: Devices
  let deviceDeliveries: DeviceDeliveries
  let activities = CurrentActivities()

  init(
    _ callers: CallerComponents, _ registry: RegistryComponents, _ requests: RequestComponents,
    _ handlers: HandlerComponents, _ configuration: DaemonConfiguration,
    _ environment: HandlerEnvironment, _ journal: Journal
  ) {
    let (settings, store) = (configuration.settings, registry.store)
    let session: (String) -> BusSession = { callers.session(of: $0) }
    notices = NotificationAgent(callers.session)
    confirmations = ConfirmationService(
      settings.confirmations,
      StateFile(
        path: configuration.stateFolder + "/approvals.plist", largest: ApprovalState.largest),
      notices, journal, session: session)
    let phones = KDEConnect(callers.session, callers.table, handlers.identifier, store)
    devices = Devices(registry.remotes, phones)
    deviceDeliveries = DeviceDeliveries(
      phones, SSHRelay(callers.services, environment, settings.launch.launcher, journal))
    let coordinator = OpenCoordinator(
      lifecycles: LifecycleTable(instanceLimit: settings.launch.maximumInstances), store: store,
      supervisor: handlers.supervisor, deliveries: handlers.deliveries, opens: requests.opens,
      processes: handlers.processes, checkIns: handlers.checkIns, fates: requests.fates,
      devices: deviceDeliveries)
    self.coordinator = coordinator
    handlerEvents = HandlerEvents(
      checkInRule: CheckInRule(allowsUnverified: configuration.allowsUnverifiedCheckIn),
      supervisor: handlers.supervisor, deliveries: handlers.deliveries,
      freedesktop: handlers.freedesktop, checkIns: handlers.checkIns,
      processes: handlers.processes, opens: requests.opens, fates: requests.fates,
      coordinator: coordinator)
    let lifecycles = { [unowned coordinator] in coordinator.lifecycles }
    let check = LaunchCheck(
      handlers.freedesktop, callers.services, environment, settings.launch.launcher,
      lifecycles: lifecycles)
    let decider = OpenDecider(
      store, registry.links, confirmations, registry.remotes, redirectLoops, handlers.supervisor,
      handlers.deliveries, settings.delivery, journal, devices, check)
    self.decider = decider
    paces = OutsidePaces(opensPerMinute: settings.opens.maximumRemoteOpens)
    let lookup = RequestLookup(
      store, registry.remotes, paces, requests.store, requests.opens, requests.history,
      coordinator)
    callbacks = LoginCallbacks(
      folder: configuration.controlFolder, registry.remotes, environment, journal)
    opens = OpenService(
      limits: settings.opens, store: store, decider: decider, confirmations: confirmations,
      quickActions: registry.quickActions, opens: requests.opens, requestLookup: lookup,
      history: requests.history, coordinator: coordinator, hasDisplay: environment.namesDisplay,
      callbacks: callbacks
    ) { [table = callers.table] in table.isConnected($0) }
    let documents = DocumentOpenService(
      store: store, documents: registry.documents, decider: decider, opens: requests.opens,
      requests: requests.store, history: requests.history, service: opens,
      coordinator: coordinator)
    let descriptions = ApplicationDescriptions(
      store, handlers.supervisor, registry.quickActions, requests.fates.receivers,
      lifecycles: lifecycles)
    let launches = LaunchExplainer(
      handlers.supervisor, handlers.freedesktop, check, environment, requests.fates.receivers,
      lifecycles: lifecycles)
    applications = ApplicationSubscribers(callers.session, descriptions)
    reading = ReadingSubscribers(
      configuration.showsProgress ? ProgressLine(command: "launchservicesd") : nil,
      session: session)
    let longest = settings.opens.maximumURLLength
    remotes = Remotes(
      registry.remotes, callers.remoteSockets, callbacks, hasBus: callers.hasBus, journal)
    dispatcher = CallDispatcher(
      identifier: handlers.identifier, store: store, history: requests.history, paces: paces,
      workspace: Workspace1(
        store: store, opens: opens, documents: documents,
        explainer: Explainer(
          store, decider, registry.documents, registry.remotes, launches, registry.endpointChecks,
          longest: longest),
        fates: RequestFates(
          store, registry.remotes, requests.store, requests.opens, requests.history
        ) {
          [unowned opens] in opens.giveUp($0, Self.givenUp)
        }, remotes: registry.remotes,
        history: requests.history, processes: handlers.supervisor, exitSubscribers: exitSubscribers,
        identities: ProcessIdentities(callers.table, handlers.identifier, store),
        longest: longest, journal: journal),
      launch: Launch1(
        store, handlers.checkIns, handlers.deliveries, registry.quickActions, coordinator,
        activities, requests.fates),
      registry: Registry1(
        store: store, descriptions: descriptions,
        documents: DocumentCalls(store, registry.documents), links: registry.links,
        desktopExporter: registry.desktopExporter, defaultsGuard: registry.defaultsGuard,
        desktopImporter: registry.desktopImporter, remotes: remotes,
        applications: applications, reading: reading, devices: devices, longest: longest),
      confirmations: Confirmation1(confirmations) { store.registry },
      daemonHasBus: callers.hasBus
    ) { callers.isDirect($0) }
  }

  private static let givenUp = OpenFailure.cancelled("the opener has given up waiting")
}
