internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// The components that receive calls and know who calls.
struct CallerComponents {
  let session: BusSession
  let direct: PeerServer
  let services: ServiceManager
  let callers: CallerTable
  let server: ObjectServer

  init(_ session: BusSession, _ configuration: DaemonConfiguration, _ journal: Journal) {
    let settings = configuration.settings
    self.session = session
    let direct = PeerServer(
      path: settings.takesDirectConnections ? configuration.directSocket : nil,
      hasBus: session.connection != nil, pace: configuration.socketRepair, journal)
    self.direct = direct
    services = ServiceManager(session, journal)
    callers = CallerTable(
      session, settings.confirmations.webOrigin, services,
      configuration.processesSocket.map { ProcessLookup(socket: $0, journal) }, journal
    ) { direct.credentials(of: $0) }
    server = ObjectServer(session, callers, .allowed(by: settings.opens))
  }

  /// False when all callers connect directly, and so no handler is reached.
  var hasBus: Bool { session.connection != nil }

  /// The session that a connection is reached by.
  func session(of connection: String) -> BusSession { direct[connection] ?? session }

  /// Fails all calls that wait, and every later one, with `failure`. Then nothing more is read.
  func stop(_ failure: OpenFailure) {
    server.stop(failure.busError)
    callers.giveUp()
    session.readAll()
    direct.stop()
  }

  /// How long the bus may take to read what the daemon says last.
  static let patience = Duration.seconds(2)

  /// - Returns: false when the bus does not take the last messages in time.
  func flush() -> Bool { session.connection?.flush(within: Self.patience) ?? true }
}
