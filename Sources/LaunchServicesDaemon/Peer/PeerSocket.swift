internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host
internal import LaunchRules

/// The socket for direct connections. It is made again when another process removes or replaces it.
final class PeerSocket {
  /// Called when no connection is possible any more: the socket was removed and cannot be made again, and there is no bus.
  var onUnreachable: (() -> Void)?
  /// The name of the next connection; nil refuses the connection.
  var nextName: () -> String? = { nil }
  /// Called with each connection and its name.
  var onConnection: (Connection, String) -> Void = { _, _ in }

  private let path: String?
  private let hasBus: Bool
  private let journal: Journal
  private var listener: Listener?
  private var watch: FileWatch?
  private var look: Deadline?
  private var repair: Deadline?
  private var pace: RepairPace

  /// How long whoever removes the socket has time to remove the folder as well.
  private static let pause: Duration = .milliseconds(100)
  /// How often the socket is looked at when its folder cannot be watched.
  private static let unwatchedPause: Duration = .seconds(10)

  /// - Parameters:
  ///   - path: nil when no direct connections are taken.
  ///   - hasBus: The bus says which process the daemon is. Without one, the process that has the socket is the daemon.
  ///   - pace: How soon the socket is made again.
  init(path: String?, hasBus: Bool, pace: RepairPace, _ journal: Journal) {
    self.path = path
    self.hasBus = hasBus
    self.pace = pace
    self.journal = journal
  }

  /// Makes the socket.
  /// - Returns: false when the socket cannot be opened; the log has the reason.
  func open() -> Bool {
    guard let path else { return false }
    return listen(at: path, again: false)
  }

  func close() {
    (watch, look, repair) = (nil, nil, nil)
    // Otherwise the socket belongs to another daemon, and libdbus would remove it.
    if isInPlace { listener?.stop() }
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
          "direct connections cannot be taken, and there is no session bus: no program can reach this daemon",
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
      self?.onConnection(connection, name)
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
