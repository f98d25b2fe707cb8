internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc
internal import Host
internal import LaunchRules

/// The sockets of the remotes, one for each, and their connections. Whoever connects to the socket of a remote is that
/// remote: the processes behind the connections, such as ssh, are not identified.
final class RemoteSockets {
  /// Called with the name and session of each connection before anything is read. The name is not a bus name.
  var onConnect: ((String, BusSession) -> Void)?
  /// Called with the name of a closed connection, after all its messages were read.
  var onDisconnect: ((String) -> Void)?

  private let folder: String?
  private let pace: RepairPace
  private let journal: Journal
  private var servers: [RemoteName: PeerServer] = [:]
  /// Why there is no socket, for the remotes whose socket could not be made.
  private var problems: [RemoteName: String] = [:]
  /// The connections, with their remotes.
  private var remotes: [String: RemoteName] = [:]
  private var lastNumber: UInt64 = 0
  private var look: Deadline?

  /// The client of a remote sends a heartbeat every 15 s while it waits.
  private static let mostSilence: UInt64 = 45_000_000_000
  private static let lookInterval: Duration = .seconds(15)

  /// - Parameters:
  ///   - folder: the folder for the folders of the sockets; nil without a runtime folder of the session.
  ///   - pace: delays before a removed socket is created again.
  init(folder: String?, pace: RepairPace, _ journal: Journal) {
    self.folder = folder
    self.pace = pace
    self.journal = journal
  }

  /// The session of a connection; nil for other connections.
  subscript(connection: String) -> BusSession? {
    remotes[connection].flatMap { servers[$0]?[connection] }
  }

  /// Nil for other connections.
  func remote(of connection: String) -> RemoteName? { remotes[connection] }

  func connections(of name: RemoteName) -> Int { remotes.values.count { $0 == name } }

  /// The path of the socket; nil while there is none.
  func path(of name: RemoteName) -> String? {
    guard servers[name] != nil, let folder else { return nil }
    return RemoteSocket.path(of: name, in: folder)
  }

  /// Why the remote has no socket; nil when there is one.
  func problem(of name: RemoteName) -> String? { problems[name] }

  /// Makes the socket of a remote.
  /// - Throws: Failed with the reason.
  func open(_ name: RemoteName) throws(BusError) -> String {
    if let path = path(of: name) { return path }
    do throws(BusError) {
      let path = try make(name)
      problems[name] = nil
      return path
    } catch {
      problems[name] = error.text
      throw error
    }
  }

  private func make(_ name: RemoteName) throws(BusError) -> String {
    guard let folder else {
      throw .failed("launchservicesd was started without XDG_RUNTIME_DIR, where sockets belong")
    }
    let path = RemoteSocket.path(of: name, in: folder)
    guard path.utf8.count <= RemoteSocket.longestPath else {
      throw .failed(
        "the path of the socket, \(path), has more than \(RemoteSocket.longestPath) bytes: choose a shorter"
          + " name")
    }
    do throws(FileError) {
      try makePrivateFolder(folder)
    } catch {
      throw .failed("\(error)")
    }
    let server = PeerServer(
      path: path, hasBus: true, pace: pace, kind: .remote(name), journal
    ) { [unowned self] in
      lastNumber += 1
      return ":remote.\(lastNumber)"
    }
    server.onConnect = { [unowned self] in
      remotes[$0] = name
      onConnect?($0, $1)
      lookSoon()
    }
    server.onDisconnect = { [unowned self] connection in
      onDisconnect?(connection)
      remotes[connection] = nil
    }
    do throws(BusError) {
      try server.start()
    } catch {
      throw .failed("the socket \(path) cannot be used: \(error.text)")
    }
    servers[name] = server
    return path
  }

  /// Removes the socket and its folder, and closes the connections. A folder in which a container has put other files
  /// remains.
  func close(_ name: RemoteName) {
    problems[name] = nil
    servers.removeValue(forKey: name)?.end()
    remotes = remotes.filter { $0.value != name }
    guard let folder else { return }
    let path = RemoteSocket.folder(of: name, in: folder)
    guard unsafe rmdir(path) != 0, errno == ENOTEMPTY || errno == EEXIST else { return }
    journal.warning(
      "the folder of a removed remote has other files and remains; remove it", ["path": path])
  }

  /// Stops accepting connections, and reads all messages that have arrived.
  func stop() {
    for server in servers.values { server.stop() }
  }

  /// Closes connections from which nothing was heard for some time: the connection to the other machine is lost.
  private func lookSoon() {
    guard look == nil else { return }
    look = Deadline(after: Self.lookInterval) { [weak self] in
      guard let self else { return }
      look = nil
      for server in servers.values { server.closeSilent(for: Self.mostSilence) }
      if !remotes.isEmpty { lookSoon() }
    }
  }
}
