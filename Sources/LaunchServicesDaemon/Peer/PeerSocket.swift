internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host
internal import LaunchRules

/// The socket for direct connections. It is created again when another process removes or replaces it.
final class PeerSocket {
  /// Called when the daemon has become unreachable: the socket was removed and cannot be created again, and
  /// there is no bus.
  var onUnreachable: (() -> Void)?
  /// Returns the name of the next connection; nil refuses the connection.
  var nextName: () -> String? = { nil }
  /// Called with each connection and its name. Returns the time for which no other connection is accepted; nil for none.
  var onConnection: (Connection, String) -> Duration? = { _, _ in nil }

  private let path: String?
  private let hasBus: Bool
  private let kind: PeerKind
  private let journal: Journal
  /// The socket, and its file when that can be read.
  private var bound: (listener: Listener, file: FileIdentity?)?
  private var listener: Listener? { bound?.listener }
  private var watch: FileWatch?
  private var look: Deadline?
  private var repair: Deadline?
  private var pace: RepairPace

  /// Delay before a removed socket is checked: its folder may be removed next.
  private static let pause: Duration = .milliseconds(100)
  /// Interval for checks of the socket when its folder cannot be watched.
  private static let unwatchedPause: Duration = .seconds(10)

  /// - Parameters:
  ///   - path: nil without direct connections.
  ///   - hasBus: whether ownership of the bus name decides which process is the daemon. Otherwise the owner
  ///     of the socket is the daemon.
  ///   - pace: delays before the socket is created again.
  init(
    path: String?, hasBus: Bool, pace: RepairPace, kind: PeerKind = .processes,
    _ journal: Journal
  ) {
    self.path = path
    self.hasBus = hasBus
    self.pace = pace
    self.kind = kind
    self.journal = journal
  }

  /// Creates the socket.
  /// - Throws: Failed with the reason, which the log has, too.
  func open() throws(BusError) {
    guard let path else { throw .failed("direct connections are turned off") }
    try listen(at: path, again: false)
  }

  func close() {
    (watch, look, repair) = (nil, nil, nil)
    // Otherwise the socket belongs to another daemon.
    if isInPlace, let path { unsafe unlink(path) }
    listener?.stop()
  }

  /// - Parameter again: whether another process has removed or replaced the socket.
  private func listen(at path: String, again: Bool) throws(BusError) {
    do {
      try makeSocket(at: path, again: again)
    } catch {
      let reason = (error as? BusError)?.text ?? "\(error)"
      let details: KeyValuePairs = ["path": path, "reason": reason]
      if hasBus {
        journal.warning("\(connections) are disabled", details)
      } else {
        journal.error(
          "direct connections cannot be accepted, and there is no session bus: no program can reach this daemon",
          details)
      }
      throw .failed(reason)
    }
  }

  private func makeSocket(at path: String, again: Bool) throws {
    // Without a bus, the owner of the socket is the daemon. A file or a folder is none.
    let replacesSocket = again && hasBus
    let replacesFile = again || isOfRemote
    try makePrivateFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
    switch Occupant(of: path) {
    case .nothing: break
    case .socket where replacesSocket: break
    case .socket:
      // A daemon that is just ending may accept connections for a moment.
      for _ in 0..<20 where listener == nil && takesConnections(path) { usleep(10_000) }
      if takesConnections(path), !isOfRemote || isDaemonListening(at: path) {
        throw PlaceTaken.byDaemon
      }
    case .file:
      guard replacesFile else { throw PlaceTaken.byFile }
      unsafe unlink(path)
    case .folder:
      guard replacesFile else { throw PlaceTaken.byFile }
      guard unsafe rmdir(path) == 0 else { throw PlaceTaken.byFolder }
    }
    listener?.stop()
    watchPlace(path)
    let made = try Listener(path: path, authentication: authentication) { [weak self] in
      self?.nextName()
    } accept: { [weak self] connection, name in
      if let wait = self?.onConnection(connection, name) { self?.listener?.pause(for: wait) }
    }
    bound = (made, identity(of: path))
    made.onShortage = { [journal, connections] in
      journal.error("the daemon has no free file descriptors: \(connections) are refused")
    }
    lookSoon(path)
  }

  private var connections: String {
    switch kind {
    case .processes: "direct connections"
    case .remote(let name): "connections of \(name)"
    }
  }

  /// Whether the process that listens is another daemon, and not one of a container.
  private func isDaemonListening(at path: String) -> Bool {
    guard let process = listeningProcess(at: path),
      let program = SymbolicLink.target(of: "/proc/\(process)/exe")
    else { return false }
    return program.split(separator: "/").last == "launchservicesd"
  }

  private var authentication: Listener.Authentication { isOfRemote ? .anonymous : .user }

  /// Whether the folder is one that this daemon has made for the socket alone, in which a container may put files.
  private var isOfRemote: Bool {
    switch kind {
    case .processes: false
    case .remote: true
    }
  }

  private func watchPlace(_ path: String) {
    guard isOfRemote else {
      watch = try? FileWatch(path) { [weak self] in self?.lookSoon(path) }
      return
    }
    // A container may make files in the folder without end, so nothing is read of what happens during the pause.
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    watch = try? FileWatch(
      entriesOf: folder, where: { _ in true },
      changed: { [weak self] _ in
        self?.watch = nil
        self?.lookSoon(path)
      })
  }

  /// Checks after a pause whether the socket is in place; repeatedly if its folder cannot be watched.
  private func lookSoon(_ path: String, after pause: Duration = pause) {
    look = Deadline(after: pause) { [weak self] in
      guard let self else { return }
      if watch == nil, isOfRemote { watchPlace(path) }
      if !isInPlace { return listenAgain(at: path) }
      if watch == nil { lookSoon(path, after: Self.unwatchedPause) }
    }
  }

  /// Whether a connection to the path reaches this daemon, by a socket of its own and not by a link to another one.
  private var isInPlace: Bool {
    guard listener != nil, let path, Occupant(of: path) == .socket else { return false }
    // A process can put a socket there that accepts nothing, so that nobody can say who listens.
    if let file = bound?.file, let current = identity(of: path), current != file { return false }
    return isListening(at: path)
  }

  /// The identity of the file itself, also when it is a link; nil when it cannot be read.
  private func identity(of path: String) -> FileIdentity? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Creates the socket again after another process has removed or replaced it, with increasing delays when
  /// this happens repeatedly.
  private func listenAgain(at path: String, tries: Int = 7) {
    let pause = pace.next(at: Time.monotonicMicroseconds())
    repair = Deadline(after: .microseconds(pause)) { [weak self] in
      guard let self else { return }
      if (try? listen(at: path, again: true)) != nil {
        journal.warning(
          "the socket for \(connections) was removed and has been created again", ["path": path]
        )
      } else if hasBus || tries > 1 {
        // The process that removed the socket may not have finished.
        listenAgain(at: path, tries: tries - 1)
      } else {
        onUnreachable?()
      }
    }
  }
}

/// The kind of file at the path of a socket. A symbolic link is a file, and not followed.
private enum Occupant {
  case nothing
  /// A socket, or what this process may not look at.
  case socket
  case folder
  case file

  init(of path: String) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      self = [ENOENT, ENOTDIR].contains(errno) ? .nothing : .socket
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFSOCK: self = .socket
    case S_IFDIR: self = .folder
    default: self = .file
    }
  }
}

/// The error when the path of the socket is in use.
private enum PlaceTaken: String, Error, CustomStringConvertible {
  case byDaemon = "another launchservicesd takes connections there"
  case byFile = "a file that is no socket is there; remove it, or choose another path"
  case byFolder = "a folder with files is there; remove it"

  var description: String { rawValue }
}
