internal import CallerIdentity
package import DBusMainLoop
internal import Glibc
package import Host
internal import LaunchRules
internal import ProcessSupervision
internal import RegistryLoading

/// The composition root: builds the components of the daemon, connects them, starts and stops them.
package final class Daemon {
  private let journal: Journal
  private let checkInGrace: Int
  private let trimmer: MemoryTrimmer
  private let callers: CallerComponents
  private let registry: RegistryComponents
  private let requests: RequestComponents
  private let handlers: HandlerComponents
  private let opening: OpenComponents

  /// Called when the state folder was removed: whoever locked it has the lock no longer.
  package var onStateFolderLoss: () -> Void = {}

  /// Ask the bus for this match before the daemon starts.
  package static let busMatch = EventWiring.match

  package init(
    _ session: BusSession, _ configuration: DaemonConfiguration, _ journal: Journal
  ) {
    self.journal = journal
    let settings = configuration.settings
    checkInGrace = settings.launch.checkInGrace
    let environment = HandlerEnvironment(inheriting: configuration.environment)
    trimmer = MemoryTrimmer(journal)
    callers = CallerComponents(session, configuration, journal)
    registry = RegistryComponents(configuration, environment, callers.services, journal)
    requests = RequestComponents(session, configuration, journal)
    handlers = HandlerComponents(
      callers, registry, requests, settings, environment,
      units: UnitBackend(callers.services, journal), children: ChildBackend(), journal)
    opening = OpenComponents(
      callers, registry, requests, handlers, configuration, environment, journal)
    EventWiring(
      callers: callers, registry: registry, requests: requests, handlers: handlers,
      opening: opening, trimmer: trimmer, journal: journal
    ) { [unowned self] in onStateFolderLoss() }.connect()
    callers.direct.onUnreachable = { [unowned self] in
      stop()
      exit(1)
    }
  }

  /// False when all callers connect directly, and so no handler is reached.
  package var hasBus: Bool { callers.hasBus }

  /// Takes calls, which wait until the daemon has started. Own the bus name after this.
  package func serve() {
    callers.services.start()
    callers.server.serve(callers.session)
    callers.session.start()
  }

  /// Reads the registry, and answers calls from then on.
  package func start() async {
    await registry.store.start()
    registry.dropQuickActions()
    handlers.expectSurvivors(
      of: requests.before, opening.coordinator, patience: checkInGrace)
    handlers.freedesktop.start()
    if hasBus { registry.desktopExporter.start() }
    registry.links.start(registry.store.registry)
    callers.server.begin()
  }

  /// Takes direct connections. Call it after the bus name is owned.
  /// - Returns: false when nobody can connect; the log says why.
  package func listen() -> Bool { callers.direct.start() }

  /// Gives back the memory that starting has taken.
  package func trim() { trimmer.trim() }

  package func reload() async { await registry.store.reload() }

  /// Answers everybody who waits and takes no more calls.
  package func stop() {
    requests.history.stop()
    opening.coordinator.stop()
    opening.confirmations.cancelAll()
    requests.fates.cutOffAll()
    opening.exitWaiters.failAll(FateReporter.shuttingDown)
    callers.stop(FateReporter.shuttingDown)
    requests.close()
    if callers.flush() {
      handlers.supervisor.stop()
    } else {
      journal.warning(
        "the message bus did not take the last messages in time: openers get no answer",
        ["limit": "\(CallerComponents.patience)"])
    }
    registry.store.stop()
    registry.links.stop()
  }
}
