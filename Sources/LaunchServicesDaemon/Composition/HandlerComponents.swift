internal import CallerIdentity
internal import DaemonSettings
internal import Host
internal import LaunchRules
internal import ProcessSupervision
internal import Records

/// The components that start handlers and communicate with them.
struct HandlerComponents {
  let supervisor: ProcessSupervisor
  let deliveries: DeliveryService
  let identifier: CallerIdentifier
  let freedesktop: FreedesktopApplications
  let checkIns: CheckInService
  let record: ProcessRecord
  let processes: HandlerProcesses

  init(
    _ callers: CallerComponents, _ registry: RegistryComponents, _ requests: RequestComponents,
    _ launch: LaunchSettings, _ delivery: DeliverySettings, _ environment: HandlerEnvironment,
    units: any LaunchBackend,
    children: any LaunchBackend, _ journal: Journal
  ) {
    let store = registry.store
    supervisor = ProcessSupervisor(
      launch.supervision, environment, units: units, children: children, journal)
    let deliveries = DeliveryService(
      callers.session, callers.direct, callers.table, supervisor, requests.opens,
      delivery, journal
    ) { [documents = registry.documents] in documents.openFiles(of: $0, $1) }
    self.deliveries = deliveries
    callers.direct.isUsedForDeliveries = { [weak deliveries] in deliveries?.uses($0) == true }
    identifier = CallerIdentifier(
      supervisor, instanceOnConnection: { deliveries.instance(on: $0) },
      registered: { store.registry.application($0) }, owner: { store.owner(of: $0) },
      isTool: { [exporter = registry.desktopExporter, checks = registry.endpointChecks] in
        exporter.isTool($0) || checks.isTool($0)
      })
    freedesktop = FreedesktopApplications(
      session: callers.session, callers: callers.table, identifier: identifier,
      processes: supervisor, deliveries: deliveries, store: store,
      timeout: launch.timeout, journal: journal)
    checkIns = CheckInService(
      session: callers.session, callers: callers.table, identifier: identifier,
      processes: supervisor, deliveries: deliveries, store: store,
      quickActions: registry.quickActions, journal: journal)
    record = ProcessRecord(requests.store, callers.services, journal)
    processes = HandlerProcesses(
      supervisor: supervisor, freedesktop: freedesktop, deliveries: deliveries, record: record,
      store: store, opens: requests.opens, fates: requests.fates,
      completesWhenInvoked: delivery.completesWhenInvoked, journal: journal)
  }

  /// Makes the rules wait for the processes that served the previous daemon.
  /// - Parameter patience: seconds within which a process has to check in again.
  func expectSurvivors(of before: RecordedBefore, _ coordinator: OpenCoordinator, patience: Int) {
    for session in record.sessions(of: before) {
      guard let application = BundleIdentifier(session.application) else { continue }
      supervisor.remember(session: session.number, startTime: session.startTime, of: application)
    }
    for process in record.survivors(of: before) {
      guard let identifier = BundleIdentifier(process.application),
        let id = coordinator.expect(identifier, slot: process.slot, isOurs: process.isOurs)
      else {
        record.recordEnd(of: process.pid)
        continue
      }
      supervisor.adopt(
        id, pid: process.pid, startTime: process.startTime, isOurs: process.isOurs,
        isSuspended: process.isSuspended,
        successor: process.successor.map { .init(pid: $0.pid, startTime: $0.startTime) },
        patience: patience)
    }
    record.recordStartEnds(of: before)
  }
}

extension LaunchSettings {
  /// The part for the supervision of processes.
  var supervision: SupervisionSettings {
    var settings = SupervisionSettings(timeout: timeout, maximumLaunches: maximumLaunches)
    settings.launcher = launcher
    settings.suspendAfter = suspendAfter
    return settings
  }
}
