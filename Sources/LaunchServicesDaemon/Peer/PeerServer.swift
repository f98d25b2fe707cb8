internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Host
internal import LaunchRules

/// The connections that processes make to the daemon itself, without a bus. The kernel says which process each belongs
/// to, as it does to a bus.
final class PeerServer {
  /// Called with each connection before anything is read from it, and its name, which is not a name of the bus.
  var onConnect: ((String, BusSession) -> Void)?
  /// Called with the name of a connection that has closed, after everything it sent was read.
  var onDisconnect: ((String) -> Void)?
  /// Called when no connection is possible any more: the socket was removed and cannot be made again, and there is no bus.
  var onUnreachable: (() -> Void)? {
    get { socket.onUnreachable }
    set { socket.onUnreachable = newValue }
  }

  private struct Peer {
    let session: BusSession
    let process: UInt32
    /// Closes the connection when it does not authenticate.
    var deadline: Deadline?
  }

  private let socket: PeerSocket
  private let journal: Journal
  private var peers: [String: Peer] = [:]
  private var lastNumber: UInt64 = 0
  private var turnedAway = TurnedAway()
  /// The connections on which handlers want to get their URLs, in the order in which they said so.
  private(set) var offered: [String] = []

  /// Of all processes together; more callers use the bus.
  private static let most = 192
  /// Of one process.
  private static let mostOfProcess = 32
  /// The connections of one process that may bring messages of 2 MiB.
  private static let mostForLargeMessages = 4
  /// In bytes, on its other connections.
  private static let mostMessageBytes = 128 << 10
  /// How long a connection may take to authenticate.
  private static let patience: Duration = .seconds(5)

  /// - Parameters:
  ///   - path: Of the socket; nil when no direct connections are taken.
  ///   - hasBus: The bus says which process the daemon is. Without one, the process that has the socket is the daemon.
  ///   - pace: How soon a socket is made again that another process has removed.
  init(path: String?, hasBus: Bool, pace: RepairPace, _ journal: Journal) {
    self.journal = journal
    socket = PeerSocket(path: path, hasBus: hasBus, pace: pace, journal)
    socket.nextName = { [weak self] in self?.nextName() }
    socket.onConnection = { [weak self] in self?.accept($0, $1) }
  }

  /// Nil for a connection of the bus, and for a closed connection.
  subscript(name: String) -> BusSession? { peers[name]?.session }

  /// What the kernel says of the process that made the connection; nil for a connection of the bus.
  func credentials(of name: String) -> Options? { peers[name]?.session.connection?.peerCredentials }

  /// A handler wants to get its URLs on this connection.
  func offer(_ name: String) {
    if !offered.contains(name) { offered.append(name) }
  }

  /// Takes connections from now on. Call it after the bus name is owned: then no other daemon has the socket.
  /// - Returns: false when the socket cannot be opened; the log has the reason.
  func start() -> Bool { socket.open() }

  /// Takes no more connections, and reads all messages that have arrived on open ones.
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
    // A client that looked whether a process listens closes at once.
    guard !connection.hasHungUp, let process = connection.peerProcess else { return }
    guard hasPlace(for: process) else { return }
    // A message is kept until its last byte has come: few connections of a process may bring large ones.
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

  /// Makes place where all places are taken: the process that has the most connections loses the one that was idle for
  /// the longest time, if that process has more than an equal share.
  private func hasPlace(for process: UInt32) -> Bool {
    let counts = peers.values.reduce(into: [:]) { $0[$1.process, default: 0] += 1 }
    let own = counts[process, default: 0]
    guard own < Self.mostOfProcess else {
      turnedAway.add(process, own, journal)
      return false
    }
    guard peers.count >= Self.most else { return true }
    let share = Self.most / (counts.count + (own == 0 ? 1 : 0))
    let idle = peers.filter { name, peer in
      counts[peer.process, default: 0] > max(share, own + 1) && peer.session.isIdle
        && peer.session.connection?.isAuthenticated == true && !offered.contains(name)
    }
    let victim = idle.min { left, right in
      let (first, second) = (
        counts[left.value.process, default: 0], counts[right.value.process, default: 0]
      )
      return first == second
        ? left.value.session.lastExchange < right.value.session.lastExchange : first > second
    }
    guard let victim else {
      turnedAway.add(nil, peers.count, journal)
      return false
    }
    journal.info(
      "an idle direct connection was closed to make place for another process",
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

/// Which refusals of connections the log has reported: each once until a connection of the same process ends.
private struct TurnedAway {
  /// Nil stands for all processes together.
  private var reported: Set<UInt32?> = []

  mutating func add(_ process: UInt32?, _ count: Int, _ journal: Journal) {
    guard reported.insert(process).inserted else { return }
    journal.notice(
      "a direct connection was turned away: as many as may be are there",
      ["connections": "\(count)", "of": process.map { "process \($0)" } ?? "all processes"])
  }

  mutating func placeIsFree(of process: UInt32) {
    reported.remove(nil)
    reported.remove(process)
  }
}
