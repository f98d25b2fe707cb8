internal import BusContract
internal import DBus
internal import DBusMainLoop
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

    var isAuthenticated: Bool { session.connection?.isAuthenticated == true }
  }

  private let socket: PeerSocket
  private let journal: Journal
  private var peers: [String: Peer] = [:]
  private var lastNumber: UInt64 = 0
  private var turnedAway = TurnedAway()
  /// The connections that handlers have offered for deliveries, in order of the offers.
  private(set) var offered: [String] = []

  /// Maximum number of direct connections of all processes. Further callers use the bus.
  private static let most = 192
  /// Maximum number of direct connections of one process.
  private static let mostOfProcess = 32
  /// Connections per process that may carry messages of up to 2 MiB.
  private static let mostForLargeMessages = 4
  /// Maximum message size on further connections of a process, in bytes.
  private static let mostMessageBytes = 128 << 10
  /// Timeout for the authentication of a connection.
  private static let patience: Duration = .seconds(5)

  /// - Parameters:
  ///   - path: path of the socket; nil without direct connections.
  ///   - hasBus: whether ownership of the bus name decides which process is the daemon. Otherwise the owner
  ///     of the socket is the daemon.
  ///   - pace: delays before a removed socket is created again.
  init(path: String?, hasBus: Bool, pace: RepairPace, _ journal: Journal) {
    self.journal = journal
    socket = PeerSocket(path: path, hasBus: hasBus, pace: pace, journal)
    socket.nextName = { [weak self] in self?.nextName() }
    socket.onConnection = { [weak self] in self?.accept($0, $1) }
  }

  /// Nil for bus connections and closed connections.
  subscript(name: String) -> BusSession? { peers[name]?.session }

  /// The credentials of the peer process from the kernel; nil for a bus connection.
  func credentials(of name: String) -> Options? { peers[name]?.session.connection?.peerCredentials }

  /// Records that a handler offers this connection for deliveries.
  func offer(_ name: String) {
    if !offered.contains(name) { offered.append(name) }
  }

  /// Starts to accept connections. Call after the bus name is owned, so that no other daemon uses the socket.
  /// - Returns: false when the socket cannot be opened; the log has the reason.
  func start() -> Bool { socket.open() }

  /// Stops accepting connections, and reads all messages that have arrived.
  func stop() {
    socket.close()
    for peer in peers.values { peer.session.readAll() }
  }
}

// MARK: - Connections

extension PeerServer {
  private func nextName() -> String {
    lastNumber += 1
    return ":direct.\(lastNumber)"
  }

  private func accept(_ connection: Connection, _ name: String) {
    // A client that only tests whether the socket is served closes the connection at once.
    guard !connection.hasHungUp, let process = connection.peerProcess else { return }
    guard hasPlace(for: process) else { return }
    // Incomplete messages stay in memory, so only few connections of a process may send large ones.
    if peers.values.count(where: { $0.process == process }) >= Self.mostForLargeMessages {
      connection.limitMessages(to: Self.mostMessageBytes)
    }
    let session = BusSession(connection)
    peers[name] = Peer(
      session: session, process: process,
      deadline: Deadline(after: Self.patience) { [weak self, weak connection] in
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

  private func reportInvalidMessage(of process: UInt32) {
    journal.notice(
      "a direct connection was closed: it sent a message larger than 2 MiB (128 KiB beside four other direct"
        + " connections of its process), or an invalid one; larger messages go over the session bus",
      ["process": "\(process)"])
  }

  /// Whether there is room for a connection of the process. If all places are taken, closes a connection of the
  /// process with the most connections, provided that process has more than an equal share: one that has not
  /// authenticated, else an idle one, else one with calls, whose client can ask again; of these, the one that has
  /// exchanged nothing for longest.
  private func hasPlace(for process: UInt32) -> Bool {
    let counts = peers.values.reduce(into: [:]) { $0[$1.process, default: 0] += 1 }
    let own = counts[process, default: 0]
    guard own < Self.mostOfProcess else {
      turnedAway.add(process, own, journal)
      return false
    }
    guard peers.count >= Self.most else { return true }
    let share = Self.most / (counts.count + (own == 0 ? 1 : 0))
    let excess = peers.filter { name, peer in
      counts[peer.process, default: 0] > max(share, own + 1) && !offered.contains(name)
    }
    func order(_ peer: Peer) -> (Int, Int, UInt64) {
      let use = peer.isAuthenticated ? peer.session.isIdle ? 1 : 2 : 0
      return (-counts[peer.process, default: 0], use, peer.session.lastExchange)
    }
    let victim = excess.min { order($0.value) < order($1.value) }
    guard let victim else {
      turnedAway.add(nil, peers.count, journal)
      return false
    }
    journal.info(
      "a direct connection was closed to make room for another process",
      ["process": "\(victim.value.process)"])
    victim.value.session.stop()
    victim.value.session.connection?.close()
    forget(victim.key)
    return true
  }

  private func forget(_ name: String) {
    guard let peer = peers.removeValue(forKey: name) else { return }
    turnedAway.placeIsFree(of: peer.process)
    offered.removeAll { $0 == name }
    onDisconnect?(name)
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

  mutating func placeIsFree(of process: UInt32) {
    reported.remove(nil)
    reported.remove(process)
  }
}
