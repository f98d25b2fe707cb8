internal import CallerIdentity
internal import Commands
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// The components that accept opens, ask the user about them, and carry them out.
struct OpenComponents {
  let notices: NotificationAgent
  let confirmations: ConfirmationService
  let redirectLoops = RedirectLoopGuard()
  let coordinator: OpenCoordinator
  let handlerEvents: HandlerEvents
  let exitWaiters = ExitWaiters()
  let applications: ApplicationSubscribers
  let reading: ReadingSubscribers
  let dispatcher: CallDispatcher

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
    let coordinator = OpenCoordinator(
      LifecycleTable(
        queueLimit: settings.opens.maximumQueueLength,
        instanceLimit: settings.launch.maximumInstances),
      ExtraInstances(limit: settings.launch.maximumInstances), store,
      handlers.supervisor, handlers.deliveries, requests.opens, handlers.processes,
      handlers.checkIns, requests.fates)
    self.coordinator = coordinator
    handlerEvents = HandlerEvents(
      CheckInRule(allowsUnverified: configuration.allowsUnverifiedCheckIn), handlers.supervisor,
      handlers.deliveries, handlers.named, handlers.checkIns, handlers.processes, requests.opens,
      requests.fates, coordinator)
    let decider = OpenDecider(
      store, registry.links, confirmations, redirectLoops, handlers.supervisor,
      handlers.deliveries, journal)
    let repeated = RepeatedRequests(
      store, requests.requests, requests.opens, requests.history, coordinator)
    let opens = OpenService(
      settings.opens, store, decider, confirmations, registry.quickActions, requests.opens,
      repeated, requests.history, coordinator
    ) { [table = callers.callers] in table.isConnected($0) }
    let documents = DocumentOpenService(
      store, registry.documents, decider, requests.opens, requests.requests, requests.history,
      opens, coordinator)
    let descriptions = ApplicationDescriptions(
      store, handlers.supervisor, registry.quickActions)
    descriptions.lifecycles = { [unowned coordinator] in coordinator.lifecycles }
    let launches = LaunchExplainer(
      handlers.supervisor, handlers.named, callers.services, environment,
      settings.launch.launcher)
    launches.lifecycles = { [unowned coordinator] in coordinator.lifecycles }
    applications = ApplicationSubscribers(callers.session, descriptions)
    reading = ReadingSubscribers(
      configuration.showsProgress ? ProgressLine(command: "launchservicesd") : nil,
      session: session)
    let longest = settings.opens.maximumURLLength
    dispatcher = CallDispatcher(
      handlers.identifier, store, requests.history,
      Workspace1(
        store, opens, documents,
        Explainer(
          store, decider, registry.documents, launches, longest: longest, hasBus: callers.hasBus),
        requests.history, handlers.supervisor, exitWaiters, longest: longest, journal),
      Launch1(store, handlers.checkIns, handlers.deliveries, registry.quickActions, coordinator),
      Registry1(
        store, descriptions, DocumentCalls(store, registry.documents), registry.links,
        registry.desktopExporter, applications, reading, longest: longest),
      confirmations, daemonHasBus: callers.hasBus
    ) { [direct = callers.direct] in direct[$0] != nil }
  }
}
