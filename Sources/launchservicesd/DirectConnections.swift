internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host

/// Somebody else has the socket.
struct Taken: Error, CustomStringConvertible {
  let description = "another launchservicesd takes connections there"
}

/// Callers that are connected to the daemon itself, with no bus between. Who they are the kernel says, as it
/// does to a bus; nothing else is different.
final class DirectConnections {
  private var sessions: [String: BusSession] = [:]
  /// Who has made them.
  private var processes: [String: UInt32] = [:]
  private var deadlines: [String: Deadline] = [:]
  private var lastNumber: UInt64 = 0
  private var listener: Listener?
  private var socket: String?
  private var watch: FileWatch?
  private var look: Deadline?
  /// What was said of connections that were turned away: of all, where it is nil, or of one process.
  private var said: Set<UInt32?> = []

  /// Those that handlers want to be spoken to on, in the order in which they said so.
  private(set) var offered: [String] = []

  /// More go to the bus.
  private static let most = 192
  /// Of one process, so that it cannot lock all others out.
  private static let mostOfProcess = 32
  /// How long a connection may take to say who it is.
  private static let patience: Duration = .seconds(5)
  /// How long whoever removes the socket has time to remove the folder as well.
  private static let pause: Duration = .milliseconds(100)
  /// How often the socket is looked at when its folder cannot be watched.
  private static let unwatchedPause: Duration = .seconds(10)

  /// Takes connections from now on, and may be called again; those that are there stay.
  /// - Parameters:
  ///   - replaces: what others have put in the place of a socket that was ours is removed.
  ///   - prepare: gets each session before it starts, with its name, which is no name of the bus.
  ///   - left: gets the name when the connection has gone.
  ///   - short: called when descriptors have run out, once for each time that lasts.
  ///   - full: called when a connection is turned away, once until one of as many goes; gets the process that has
  ///     so many, or nil where all together have, and how many.
  ///   - lost: called when the socket is no longer where others look for it.
  func listen(
    at path: String, replacing replaces: Bool = false,
    prepare: @escaping (String, BusSession) -> Void,
    left: @escaping (String) -> Void, short: @escaping () -> Void,
    full: @escaping (UInt32?, Int) -> Void, lost: @escaping () -> Void
  ) throws {
    try makePrivateFolder(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
    if replaces, socket != nil {
      // A file or an empty folder; libdbus removes sockets itself.
      if unsafe unlink(path) != 0 { unsafe rmdir(path) }
    } else {
      // One that ends now may take them for a moment more. Later everybody would wait for that.
      for _ in 0..<20 where listener == nil && takesConnections(path) { usleep(10_000) }
      guard !takesConnections(path) else { throw Taken() }
    }
    // Now: it removes what is in its place, too.
    listener?.stop()
    watch = try? FileWatch(path) { [weak self] in self?.lookSoon(lost) }
    listener = try Listener(path: path) { [weak self] in
      self?.nextName(full)
    } accept: { [weak self] connection, name in
      self?.serve(connection, name, prepare, left, full)
    }
    listener?.onShortage = short
    socket = path
    lookSoon(lost)
  }

  /// Sees to it a little later that the socket is in its place; and again and again where nobody tells when it is not.
  private func lookSoon(_ lost: @escaping () -> Void, after pause: Duration = pause) {
    look = Deadline(after: pause) { [weak self] in
      guard let self else { return }
      if !isInPlace { return lost() }
      if watch == nil { lookSoon(lost, after: Self.unwatchedPause) }
    }
  }

  /// This process is the one that others reach at the socket.
  private var isInPlace: Bool { socket.map { isListening(at: $0) } ?? false }

  private func nextName(_ full: (UInt32?, Int) -> Void) -> String? {
    guard sessions.count < Self.most else {
      if said.insert(nil).inserted { full(nil, Self.most) }
      return nil
    }
    lastNumber += 1
    return ":direct.\(lastNumber)"
  }

  private func serve(
    _ connection: Connection, _ name: String, _ prepare: (String, BusSession) -> Void,
    _ left: @escaping (String) -> Void, _ full: (UInt32?, Int) -> Void
  ) {
    // One that looked whether somebody listens: nobody has to know who it is.
    guard !connection.hasHungUp, let process = connection.peerProcess else { return }
    guard processes.values.count(where: { $0 == process }) < Self.mostOfProcess else {
      if said.insert(process).inserted { full(process, Self.mostOfProcess) }
      return
    }
    let session = BusSession(connection)
    sessions[name] = session
    processes[name] = process
    prepare(name, session)
    session.onDisconnect = { [weak self, weak session] in
      // What it asked before it left still counts.
      session?.handOverWaiting()
      self?.forget(name)
      left(name)
    }
    deadlines[name] = Deadline(after: Self.patience) { [weak self, weak connection] in
      self?.deadlines[name] = nil
      if let connection, !connection.isAuthenticated { connection.close() }
    }
    session.start()
  }

  /// A handler wants to be spoken to on it.
  func offer(_ name: String) {
    if !offered.contains(name) { offered.append(name) }
  }

  private func forget(_ name: String) {
    sessions[name] = nil
    said.remove(nil)
    if let process = processes.removeValue(forKey: name) { said.remove(process) }
    offered.removeAll { $0 == name }
    deadlines[name] = nil
  }

  /// Nil for a connection of the bus, and for one that has gone.
  subscript(name: String) -> BusSession? { sessions[name] }

  /// What the kernel says of who is connected; nil for a connection of the bus.
  func credentials(of name: String) -> Options? { sessions[name]?.connection?.peerCredentials }

  /// Takes no more connections, and hands over what has been asked.
  func stop() {
    (watch, look) = (nil, nil)
    // Else it would remove that of another daemon.
    if isInPlace { listener?.stop() }
    for session in sessions.values { session.handOverAll() }
  }
}
