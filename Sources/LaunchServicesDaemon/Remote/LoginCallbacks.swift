internal import BusContract
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Forwards ports of this machine to remotes, so that the browser here reaches the tool there at the end of a login. Only
/// for remotes whose user allows it, and only over a connection that `lsopen ssh` has made.
final class LoginCallbacks {
  private struct Forward: Hashable {
    let remote: RemoteName
    let port: UInt16
  }

  /// The folder with the control sockets of ssh; nil without a runtime folder of the session.
  private let folder: String?
  private let remotes: RemoteStore
  private let environment: HandlerEnvironment
  private let journal: Journal
  /// The forwarded ports, with the control socket and the end of each.
  private var forwards: [Forward: (socket: String, end: Deadline)] = [:]

  /// The number of opens that ask ssh for a port now.
  private var underWay: [Forward: Int] = [:]

  /// The time for a login.
  static let duration = Duration.seconds(600)
  /// Maximum number of ports of one remote at the same time.
  static let mostPorts = 4
  /// Timeout for ssh to ask its master.
  private static let patience = Duration.seconds(3)

  init(
    folder: String?, _ remotes: RemoteStore, _ environment: HandlerEnvironment, _ journal: Journal
  ) {
    self.folder = folder
    self.remotes = remotes
    self.environment = environment
    self.journal = journal
  }

  /// The port that a remote needs for the login that it opens; nil when it needs none, or may have none.
  func port(for url: String, of caller: Caller) -> UInt16? {
    guard case .remote(let remote) = caller, let callback = LoginCallback(url) else {
      return nil
    }
    if remotes[remote]?.forwardsCallbacks == true { return callback.port }
    journal.notice(
      "a login callback is not forwarded to the remote; to forward callbacks, use: lsregister"
        + " remote allow-callback NAME",
      ["remote": remote.text, "port": "\(callback.port)"])
    return nil
  }

  /// Forwards the port for the time of a login, unless that is impossible; the reason is logged.
  func forward(_ port: UInt16, for caller: Caller) async {
    guard case .remote(let remote) = caller else { return }
    let forward = Forward(remote: remote, port: port)
    let others = Set(forwards.keys).union(underWay.keys).filter {
      $0.remote == remote && $0 != forward
    }
    guard others.count < Self.mostPorts else {
      return refuse(
        forward, "\(Self.mostPorts) ports are forwarded for this remote, which is the limit")
    }
    underWay[forward, default: 0] += 1
    defer { underWay[forward] = underWay[forward].flatMap { $0 > 1 ? $0 - 1 : nil } }
    if let known = forwards[forward], await control(.forwardPort(port), known.socket) {
      return keep(forward, known.socket)
    }
    let sockets = controlSockets(of: remote)
    for socket in sockets where await control(.forwardPort(port), socket) {
      journal.notice(
        "a login callback is forwarded to the remote",
        ["remote": remote.text, "port": "\(port)"])
      return keep(forward, socket)
    }
    forwards[forward] = nil
    refuse(
      forward,
      sockets.isEmpty
        ? "the remote is not connected by 'lsopen ssh'"
        : "ssh does not forward the port, which another program here may use")
  }

  private func keep(_ forward: Forward, _ socket: String) {
    forwards[forward] = (
      socket, Deadline(after: Self.duration) { [weak self] in self?.end(forward) }
    )
    // The user may have changed the right in the meantime.
    if remotes[forward.remote]?.forwardsCallbacks != true { end(forward) }
  }

  private func refuse(_ forward: Forward, _ why: String) {
    journal.notice(
      "a login callback cannot be forwarded to the remote",
      ["remote": forward.remote.text, "port": "\(forward.port)", "reason": why])
  }

  private func end(_ forward: Forward) {
    guard let (socket, _) = forwards.removeValue(forKey: forward) else { return }
    Task { _ = await control(.cancelPort(forward.port), socket) }
  }

  /// Ends all forwards of a remote, whose user no longer allows them.
  func endAll(of remote: RemoteName) {
    for forward in forwards.keys where forward.remote == remote { end(forward) }
  }

  // MARK: ssh

  /// The control sockets of the connections to a remote, the newest first.
  private func controlSockets(of remote: RemoteName) -> [String] {
    guard let folder, let names = try? FolderListing(of: folder, isSorted: false).names else {
      return []
    }
    let paths = names.filter { SSHControlSocket.remote(ofName: $0) == remote.text }.map {
      "\(folder)/\($0)"
    }
    func made(_ path: String) -> Int64 { (try? FileStamp(path: path).modified) ?? 0 }
    return paths.sorted { made($0) > made($1) }
  }

  /// Asks the master at a control socket.
  private func control(_ control: SSHCommand.Control, _ socket: String) async -> Bool {
    guard let program = ProgramLookup.find("ssh", path: environment.path) else { return false }
    let launch = Launch(
      executable: program, arguments: SSHCommand.control(control, socket: socket),
      environment: environment.ofTools, workingDirectory: "/", standardOutput: .nothing)
    let end = try? await ChildProcess.run(launch, atMost: Self.patience)
    return end == .exited(code: 0)
  }
}
