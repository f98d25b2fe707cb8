internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host
internal import LaunchRules

/// The connections that processes make to the daemon itself, without a bus. The kernel says which process each belongs
/// to, as it does to a bus.
final class PeerServer {
  /// Called with each connection before anything is read from it, and its name, which is not a name of the bus.
  var onConnect: ((String, BusSession) -> Void)?
  /// Called with the name of a connection that has closed, after everything it sent was read.
  var onDisconnect: ((String) -> Void)?
  /// Called when nobody can connect any more: the socket was removed and cannot be made again, and there is no bus.
  var onUnreachable: (() -> Void)?

  private struct Peer {
    let session: BusSession
    let process: UInt32
    /// Closes the connection when it does not authenticate.
    var deadline: Deadline?
  }

  private let path: String?
  private let hasBus: Bool
  private let journal: Journal
  private var peers: [String: Peer] = [:]
  private var lastNumber: UInt64 = 0
  private var listener: Listener?
  private var watch: FileWatch?
  private var look: Deadline?
  private var repair: Deadline?
  private var pace = RepairPace()
  private var turnedAway = TurnedAway()
  /// The connections on which handlers want to get their URLs, in the order in which they said so.
  private(set) var offered: [String] = []

  /// Of all processes together; more callers use the bus.
  private static let most = 192
  /// Of one process.
  private static let mostOfProcess = 32
  /// How long a connection may take to authenticate.
  private static let patience: Duration = .seconds(5)
  /// How long whoever removes the socket has time to remove the folder as well.
  private static let pause: Duration = .milliseconds(100)
  /// How often the socket is looked at when its folder cannot be watched.
  private static let unwatchedPause: Duration = .seconds(10)

  /// - Parameters:
  ///   - path: Of the socket; nil when no direct connections are taken.
  ///   - hasBus: The bus says which process the daemon is. Without one, the process that has the socket is the daemon.
  init(path: String?, hasBus: Bool, _ journal: Journal) {
    self.path = path
    self.hasBus = hasBus
    self.journal = journal
  }

  /// Nil for a connection of the bus, and for one that has closed.
  subscript(name: String) -> BusSession? { peers[name]?.session }

  /// What the kernel says of the process that made the connection; nil for a connection of the bus.
  func credentials(of name: String) -> Options? { peers[name]?.session.connection?.peerCredentials }

  /// A handler wants to get its URLs on this connection.
  func offer(_ name: String) {
    if !offered.contains(name) { offered.append(name) }
  }

  /// Takes no more connections, and reads what has arrived on those that there are.
  func stop() {
    (watch, look, repair) = (nil, nil, nil)
    // Otherwise the socket belongs to another daemon, and libdbus would remove it.
    if isInPlace { listener?.stop() }
    for peer in peers.values { peer.session.readAll() }
  }
}

// MARK: - The socket

extension PeerServer {
  /// Takes connections from now on. Call it after the bus name is owned: then no other daemon has the socket.
  /// - Returns: false when nobody can connect; the log says why.
  func start() -> Bool {
    guard let path else { return false }
    return listen(at: path, again: false)
  }

  /// - Parameter again: The socket was there, and another process has removed or replaced it.
  private func listen(at path: String, again: Bool) -> Bool {
    do {
      try makeSocket(at: path, replacing: again && hasBus)
      return true
    } catch {
      let details: KeyValuePairs = ["path": path, "reason": "\(error)"]
      if hasBus {
        journal.warning("there are no direct connections", details)
      } else {
        journal.error(
          "direct connections cannot be taken, and there is no bus, so nobody could reach this daemon",
          details)
      }
      return false
    }
  }

  private func makeSocket(at path: String, replacing replaces: Bool) throws {
    try makePrivateFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
    if replaces, listener != nil {
      // A file or an empty folder; libdbus removes sockets itself.
      if unsafe unlink(path) != 0 { unsafe rmdir(path) }
    } else {
      // A daemon that ends now may take connections for a moment more.
      for _ in 0..<20 where listener == nil && takesConnections(path) { usleep(10_000) }
      guard !takesConnections(path) else { throw SocketTaken() }
    }
    // Before the new socket is made, because this removes the file at the path.
    listener?.stop()
    watch = try? FileWatch(path) { [weak self] in self?.lookSoon(path) }
    listener = try Listener(path: path) { [weak self] in
      self?.nextName()
    } accept: { [weak self] connection, name in
      self?.accept(connection, name)
    }
    listener?.onShortage = { [journal] in
      journal.error("no file descriptors are left: direct connections are turned away")
    }
    lookSoon(path)
  }

  /// Looks a little later whether the socket is in its place, and repeatedly when its folder cannot be watched.
  private func lookSoon(_ path: String, after pause: Duration = pause) {
    look = Deadline(after: pause) { [weak self] in
      guard let self else { return }
      if !isInPlace { return listenAgain(at: path) }
      if watch == nil { lookSoon(path, after: Self.unwatchedPause) }
    }
  }

  /// Whether a process that connects to the path reaches this daemon.
  private var isInPlace: Bool {
    guard listener != nil, let path else { return false }
    return isListening(at: path)
  }

  /// Another process has removed the socket, or has put another one in its place. The socket is made again for as long
  /// as this happens, more and more slowly.
  private func listenAgain(at path: String, tries: Int = 7) {
    let pause = pace.next(at: Time.monotonicMicroseconds())
    repair = Deadline(after: .microseconds(pause)) { [weak self] in
      guard let self else { return }
      if listen(at: path, again: true) {
        journal.warning(
          "the socket for direct connections was removed; it is there again", ["path": path])
      } else if hasBus || tries > 1 {
        // The process that removed the socket may not be done.
        listenAgain(at: path, tries: tries - 1)
      } else {
        onUnreachable?()
      }
    }
  }
}

/// Another daemon has the socket.
private struct SocketTaken: Error, CustomStringConvertible {
  let description = "another launchservicesd takes connections there"
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
      "a direct connection was closed: it sent a message larger than 2 MiB, or an invalid one; larger messages go over"
        + " the session bus", ["process": "\(process)"])
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
