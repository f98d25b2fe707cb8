internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Dispatch
internal import Host
internal import LaunchRules

/// The direct connections of processes to the daemon. The kernel identifies the process of each connection.
final class PeerServer {
  /// Called with the name and session of each connection before anything is read. The name is not a bus name.
  var onConnect: ((String, BusSession) -> Void)?
  /// Called with the name of a closed connection, after all its messages were read.
  var onDisconnect: ((String) -> Void)?
  /// Called when the daemon has become unreachable: the socket was removed and cannot be created again, and
  /// there is no bus.
  var onUnreachable: (() -> Void)? {
    get { socket.onUnreachable }
    set { socket.onUnreachable = newValue }
  }

  private struct Peer {
    let session: BusSession
    let process: UInt32
    /// Closes the connection if it does not authenticate in time.
    var deadline: Deadline?
    /// When the process offered the connection for deliveries, in monotonic nanoseconds; nil for never.
    var offered: UInt64?

    var isAuthenticated: Bool { session.connection?.isAuthenticated == true }
  }

  private let socket: PeerSocket
  private let limits: PeerLimits
  private let hasBus: Bool
  private let journal: Journal
  private var peers: [String: Peer] = [:]
  private var turnedAway = TurnedAway()
  private var invalidMessages = InvalidMessages()
  /// Nil without a limit.
  private var calls: OpenPace?
  /// Connections over the limit, whose calls are answered with the reason.
  private var refused: [ObjectIdentifier: (session: BusSession, limit: Deadline)] = [:]
  /// Returns whether a handler has checked in on the connection, or is reached on it.
  var isUsedForDeliveries: (String) -> Bool = { _ in false }

  /// - Parameters:
  ///   - path: path of the socket; nil without direct connections.
  ///   - hasBus: whether ownership of the bus name decides which process is the daemon. Otherwise the owner
  ///     of the socket is the daemon.
  ///   - pace: delays before a removed socket is created again.
  ///   - nextName: returns the name of the next connection, which no other connection has had.
  init(
    path: String?, hasBus: Bool, pace: RepairPace, kind: PeerKind = .processes, _ journal: Journal,
    nextName: @escaping () -> String
  ) {
    self.journal = journal
    limits = kind.limits
    calls = limits.callsPerMinute.map(OpenPace.init)
    self.hasBus = hasBus
    socket = PeerSocket(path: path, hasBus: hasBus, pace: pace, kind: kind, journal)
    socket.nextName = nextName
    socket.onConnection = { [weak self] in
      self?.accept($0, $1)
      return self?.wait(after: PeerLimits.callsPerConnection)
    }
  }

  /// Nil for bus connections and closed connections.
  subscript(name: String) -> BusSession? { peers[name]?.session }

  /// The credentials of the peer process from the kernel; nil for a bus connection.
  func credentials(of name: String) -> Options? { peers[name]?.session.connection?.peerCredentials }

  /// The connections that processes have offered for deliveries, in order of the offers.
  var offered: [String] {
    peers.filter { $0.value.offered != nil }
      .sorted { ($0.value.offered ?? 0) < ($1.value.offered ?? 0) }.map(\.key)
  }

  /// Records that a process offers this connection for deliveries.
  func offer(_ name: String) {
    guard peers[name]?.offered == nil else { return }
    peers[name]?.offered = DispatchTime.now().uptimeNanoseconds
  }

  /// Starts to accept connections. Call after the bus name is owned, so that no other daemon uses the socket.
  /// - Throws: Failed with the reason, which the log has, too.
  func start() throws(BusError) { try socket.open() }

  /// Stops accepting connections, and reads all messages that have arrived.
  func stop() {
    socket.close()
    for peer in peers.values { peer.session.readAll() }
  }

  /// Stops accepting connections, and closes all connections.
  func end() {
    socket.close()
    for name in peers.keys { close(name) }
    for id in refused.keys { endRefused(id) }
  }

  /// Closes the connections on which nothing was exchanged for this time, in nanoseconds.
  func closeSilent(for time: UInt64) {
    let now = DispatchTime.now().uptimeNanoseconds
    for (name, peer) in peers where peer.session.lastExchange + time < now { close(name) }
  }
}

// MARK: - Connections

extension PeerServer {
  private func close(_ name: String) {
    guard let session = peers[name]?.session else { return }
    session.stop()
    session.connection?.close()
    forget(name)
  }

  private func accept(_ connection: Connection, _ name: String) {
    // A client that only tests whether the socket is served closes the connection at once.
    guard !connection.hasHungUp, let process = connection.peerProcess else { return }
    guard hasPlace(for: process) else { return refuse(connection) }
    // Incomplete messages stay in memory, so only few connections of a process may send large ones.
    if peers.values.count(where: { $0.process == process }) >= limits.mostForLargeMessages {
      connection.limitMessages(to: PeerLimits.mostMessageBytes)
    }
    let session = BusSession(connection)
    if limits.callsPerMinute != nil {
      // A large message costs about as much as a short one for each of its pieces.
      session.pace = { [weak self] in self?.wait(after: 1 + $0 / PeerLimits.pieceBytes) }
    }
    peers[name] = Peer(
      session: session, process: process,
      deadline: Deadline(after: limits.patience) { [weak self, weak connection] in
        self?.peers[name]?.deadline = nil
        if let connection, !connection.isAuthenticated { connection.close() }
      })
    session.onDisconnect = { [weak self, weak session] in
      if session?.wasClosedHere == true { self?.reportInvalidMessage(of: process) }
      self?.forget(name)
    }
    onConnect?(name, session)
    session.start()
  }

  /// The time for which no call is read and no connection accepted; nil for none.
  /// - Parameter count: the calls that were read, or what has cost as much.
  private func wait(after count: Int) -> Duration? {
    calls?.take(count, at: Time.monotonicMicroseconds()).map {
      .microseconds(max($0, PeerLimits.leastWait))
    }
  }

  /// Answers the calls of a connection for which there is no place, for a moment. Where clients can use the bus instead, and
  /// when too many clients are told already, the connection is closed at once.
  private func refuse(_ connection: Connection) {
    guard let refusal = limits.refusal, refused.count < PeerLimits.mostRefused else { return }
    connection.limitMessages(to: PeerLimits.mostMessageBytes)
    let session = BusSession(connection)
    let id = ObjectIdentifier(session)
    refused[id] = (
      session, Deadline(after: PeerLimits.refusalTime) { [weak self] in self?.endRefused(id) }
    )
    session.onCall = { $0.fail(refusal) }
    session.onDisconnect = { [weak self] in self?.refused[id] = nil }
    session.start()
  }

  private func endRefused(_ id: ObjectIdentifier) {
    guard let session = refused.removeValue(forKey: id)?.session else { return }
    session.stop()
    session.connection?.close()
  }

  private func reportInvalidMessage(of process: UInt32) {
    invalidMessages.add(limits.invalidMessage, process, journal)
  }

  /// Whether there is room for a connection of the process. If all places are taken, or descriptors are scarce, without
  /// which no caller can be identified, closes a connection of the
  /// process with the most connections, provided that process has more than an equal share: one that has not
  /// authenticated, else an idle one, else one with calls, whose client can ask again; of these, the one that has
  /// exchanged nothing for longest.
  private func hasPlace(for process: UInt32) -> Bool {
    let counts = peers.values.reduce(into: [:]) { $0[$1.process, default: 0] += 1 }
    let own = counts[process, default: 0]
    guard own < limits.mostOfProcess else {
      turnedAway.add(process, own, journal)
      return false
    }
    let isShort = DescriptorLimit.isNear(DescriptorLimit.reserve)
    guard peers.count >= limits.most || isShort else { return true }
    let most = min(limits.most, peers.count)
    let share = most / (counts.count + (own == 0 ? 1 : 0))
    let excess = peers.filter { name, peer in
      counts[peer.process, default: 0] > max(share, own + 1) && !isUsedForDeliveries(name)
    }
    func order(_ peer: Peer) -> (Int, Int, UInt64) {
      let use = peer.isAuthenticated ? peer.session.isIdle ? 1 : 2 : 0
      return (-counts[peer.process, default: 0], use, peer.session.lastExchange)
    }
    let victim = excess.min { order($0.value) < order($1.value) } ?? replaceable(besides: own)
    guard let victim else {
      if isShort {
        turnedAway.addShortage(peers.count, journal)
      } else {
        turnedAway.add(nil, peers.count, journal)
      }
      return false
    }
    journal.info(
      "a direct connection was closed to make room for another process",
      ["process": "\(victim.value.process)"])
    close(victim.key)
    return true
  }

  /// Where the bus is no other way: of all connections that are not used for deliveries, one that has been idle for a second,
  /// else for a process without a connection any one, whose client can ask again; of these, the one that has exchanged
  /// nothing for longest. So many processes with a connection each do not lock the others out, also when they connect again
  /// at once.
  /// - Parameter own: the number of connections of the process that needs a place.
  private func replaceable(besides own: Int) -> (key: String, value: Peer)? {
    guard !hasBus else { return nil }
    let now = DispatchTime.now().uptimeNanoseconds
    // A connection that was just made has sent no call yet.
    func isIdle(_ peer: Peer) -> Bool {
      peer.session.isIdle && peer.session.lastExchange + PeerLimits.idleTime <= now
    }
    func order(_ peer: Peer) -> (Int, UInt64) {
      (isIdle(peer) ? 0 : 1, peer.session.lastExchange)
    }
    return peers.filter { name, peer in
      !isUsedForDeliveries(name) && (own == 0 || isIdle(peer))
    }.min { order($0.value) < order($1.value) }
  }

  private func forget(_ name: String) {
    guard let peer = peers.removeValue(forKey: name) else { return }
    turnedAway.placeIsFree(of: peer.process)
    onDisconnect?(name)
  }
}

/// The limits on the connections of one socket.
private struct PeerLimits {
  /// Maximum number of connections of all processes.
  var most: Int
  /// Maximum number of connections of one process.
  var mostOfProcess: Int
  /// Connections per process that may carry messages of up to 2 MiB.
  var mostForLargeMessages: Int
  /// Timeout for the authentication of a connection.
  var patience: Duration
  /// The calls of all connections together that are read within a minute, each piece of `pieceBytes` counted as one, and each
  /// connection as `callsPerConnection`. Further calls and connections wait in the sockets. Nil for no limit.
  var callsPerMinute: Int?
  /// The answer to calls of a connection over the limit; nil to close the connection.
  var refusal: BusError?
  /// The log message for a connection that sent an invalid or too large message.
  var invalidMessage: String

  /// Maximum message size on further connections of a process, in bytes.
  static let mostMessageBytes = RemoteSocket.mostMessageBytes
  /// Maximum number of connections over the limit that are answered at the same time.
  static let mostRefused = 16
  static let pieceBytes = 4096
  /// The number of calls that cost as much as a connection: to accept, authenticate and close.
  static let callsPerConnection = 4
  /// The time without an exchange after which a connection without calls is idle, in nanoseconds.
  static let idleTime: UInt64 = 1_000_000_000
  /// In microseconds.
  static let leastWait: UInt64 = 10_000
  /// The time for which these connections are answered.
  static let refusalTime = Duration.seconds(5)
}

extension PeerKind {
  fileprivate var limits: PeerLimits {
    switch self {
    case .processes:
      // Further callers use the bus.
      PeerLimits(
        most: 192, mostOfProcess: 32, mostForLargeMessages: 4, patience: .seconds(5),
        invalidMessage:
          "a direct connection was closed: it sent a message larger than 2 MiB (128 KiB beside four other"
          + " direct connections of its process), or an invalid one; larger messages go over the session bus"
      )
    case .remote(let name):
      // The connections of another machine all come from one process, such as ssh, and may be slow.
      PeerLimits(
        most: RemoteSocket.mostConnections, mostOfProcess: RemoteSocket.mostConnections,
        mostForLargeMessages: 0, patience: .seconds(30), callsPerMinute: 30_000,
        refusal: OpenFailure.limitExceeded(
          "\(name) has \(RemoteSocket.mostConnections) connections, which is the limit: try again when an open of \(name)"
            + " has ended"
        ).busError,
        invalidMessage:
          "a connection of \(name) was closed: it sent a message larger than 128 KiB, or an invalid one"
      )
    }
  }
}

/// The logged connections that have sent an invalid message. A client that connects again and again does not fill the log.
private struct InvalidMessages {
  private var pace = OpenPace(perMinute: 10)
  private var unlogged = 0

  mutating func add(_ message: String, _ process: UInt32, _ journal: Journal) {
    guard pace.use(at: Time.monotonicMicroseconds()) == nil else {
      unlogged += 1
      return
    }
    if unlogged > 0 {
      journal.notice(message, ["process": "\(process)", "not-logged-before": "\(unlogged)"])
    } else {
      journal.notice(message, ["process": "\(process)"])
    }
    unlogged = 0
  }
}

/// The logged refusals of connections. A refusal is logged once per process, until a connection of that
/// process closes.
private struct TurnedAway {
  /// Nil stands for the limit of all processes together.
  private var reported: Set<UInt32?> = []

  mutating func add(_ process: UInt32?, _ count: Int, _ journal: Journal) {
    guard reported.insert(process).inserted else { return }
    journal.notice(
      "a direct connection was refused: the limit is reached",
      ["connections": "\(count)", "of": process.map { "process \($0)" } ?? "all processes"])
  }

  mutating func addShortage(_ count: Int, _ journal: Journal) {
    guard reported.insert(nil).inserted else { return }
    journal.warning(
      "a direct connection was refused: the daemon is short of file descriptors, and keeps some to identify callers;"
        + " raise LimitNOFILE of launchservicesd.service",
      ["connections": "\(count)", "kept": "\(DescriptorLimit.reserve)"])
  }

  mutating func placeIsFree(of process: UInt32) {
    reported.remove(nil)
    reported.remove(process)
  }
}
