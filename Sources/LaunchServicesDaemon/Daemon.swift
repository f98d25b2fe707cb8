internal import CallerIdentity
package import DBusMainLoop
internal import DaemonSettings
internal import Glibc
package import Host
internal import LaunchRules
internal import ProcessSupervision
internal import RegistryLoading

/// The composition root: builds the components of the daemon, connects them, starts and stops them.
package final class Daemon {
  private let checkInGrace: Int
  private let trimmer: MemoryTrimmer
  private let callers: CallerComponents
  private let registry: RegistryComponents
  private let requests: RequestComponents
  private let handlers: HandlerComponents
  private let opening: OpenComponents

  /// Called when the state folder was removed. The lock of the folder is lost then.
  package var onStateFolderLoss: () -> Void = {}

  /// Register this match rule with the bus before the daemon starts.
  package static let busMatch = ConnectionEvents.match

  package init(_ session: BusSession, _ configuration: DaemonConfiguration, _ journal: Journal) {
    let settings = configuration.settings
    checkInGrace = settings.launch.checkInGrace
    let socket = session.connection == nil ? configuration.directSocket : nil
    let environment = HandlerEnvironment(inheriting: configuration.environment, socket: socket)
    trimmer = MemoryTrimmer(journal)
    callers = CallerComponents(session, configuration, journal)
    registry = RegistryComponents(configuration, environment, callers.services, journal)
    requests = RequestComponents(session, configuration, journal)
    handlers = HandlerComponents(
      callers, registry, requests, settings.launch, settings.delivery, environment,
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

  /// False when all callers and handlers use direct connections.
  package var hasBus: Bool { callers.hasBus }

  /// Starts to queue calls, until `start` has finished. Request the bus name after this call.
  package func serve() {
    callers.services.start()
    callers.server.serve(callers.session)
    callers.session.start()
  }

  /// Reads the registry, then starts to answer calls.
  package func start() async {
    await registry.start()
    handlers.expectSurvivors(of: requests.before, opening.coordinator, patience: checkInGrace)
    handlers.freedesktop.start()
    if hasBus {
      registry.desktopExporter.start()
      registry.defaultsGuard.start()
    }
    registry.links.start(registry.store.registry)
    callers.server.begin()
  }

  /// Starts to accept direct connections. Call after the bus name is owned.
  /// - Returns: false when direct connections are impossible; the reason is logged.
  package func listen() -> Bool {
    opening.remotes.start()
    return (try? callers.direct.start()) != nil
  }

  /// Returns the memory used by the start to the system.
  package func trim() { trimmer.trim() }

  /// Stops using the record of requests.
  package func leaveRecord(_ reason: String) { requests.leave(reason) }

  package func reload() async { await registry.reload() }

  /// Answers all waiting callers and stops accepting calls.
  package func stop() {
    requests.history.stop()
    opening.coordinator.stop()
    opening.confirmations.cancelAll()
    requests.fates.cutOffAll()
    opening.exitSubscribers.failAll(FateReporter.shuttingDown)
    callers.stop(FateReporter.shuttingDown)
    requests.close()
    if callers.flush() { handlers.supervisor.stop() }
    registry.stop()
  }
}
