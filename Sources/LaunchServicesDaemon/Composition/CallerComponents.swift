internal import BusContract
internal import CallerIdentity
internal import DBus
internal import DBusMainLoop
internal import DaemonSettings
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// The components that receive calls and identify callers.
struct CallerComponents {
  let session: BusSession
  let direct: PeerServer
  let remoteSockets: RemoteSockets
  let services: ServiceManager
  let table: CallerTable
  let server: ObjectServer
  private let journal: Journal

  init(_ session: BusSession, _ configuration: DaemonConfiguration, _ journal: Journal) {
    let settings = configuration.settings
    (self.session, self.journal) = (session, journal)
    let direct = PeerServer(
      path: settings.takesDirectConnections ? configuration.directSocket : nil,
      hasBus: session.connection != nil, pace: configuration.socketRepair, journal,
      nextName: Self.names(":direct."))
    self.direct = direct
    let remoteSockets = RemoteSockets(
      folder: configuration.remoteFolder, pace: configuration.socketRepair, journal)
    self.remoteSockets = remoteSockets
    services = ServiceManager(session, journal)
    table = CallerTable(
      session, settings.confirmations.webOrigin, services,
      configuration.processesSocket.map { ProcessLookup(socket: $0, journal) }, journal
    ) {
      remoteSockets.remote(of: $0).map { .remote($0) }
        ?? direct.credentials(of: $0).map { .process($0) }
    }
    server = ObjectServer(session, table, .allowed(by: settings.opens))
  }

  /// False when all callers and handlers use direct connections.
  var hasBus: Bool { session.connection != nil }

  /// The session of a connection.
  func session(of connection: String) -> BusSession {
    direct[connection] ?? remoteSockets[connection] ?? session
  }

  /// Whether the connection was made to a socket of the daemon, and not over the bus.
  func isDirect(_ connection: String) -> Bool {
    direct[connection] != nil || remoteSockets.remote(of: connection) != nil
  }

  /// Returns names for connections, each once.
  private static func names(_ prefix: String) -> () -> String {
    var last: UInt64 = 0
    return {
      last += 1
      return "\(prefix)\(last)"
    }
  }

  /// Fails all queued calls and every later call with `failure`, then stops reading.
  func stop(_ failure: OpenFailure) {
    server.stop(failure.busError)
    table.giveUp()
    session.readAll()
    direct.stop()
    remoteSockets.stop()
  }

  /// Timeout for writing the last messages to the bus.
  private static let patience = Duration.seconds(2)

  /// Writes the last messages to the bus.
  /// - Returns: false when the timeout expires first.
  func flush() -> Bool {
    guard session.connection?.flush(within: Self.patience) == false else { return true }
    journal.warning(
      "the last replies could not be sent to the message bus in time: openers receive no reply",
      ["limit": "\(Self.patience)"])
    return false
  }
}
