internal import BusContract
internal import DBus
internal import Glibc
internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// Forwards ports of this machine to remotes, so that the browser here reaches the tool there at the end of a login. Only
/// for remotes whose user allows it, and only over a connection that `lsopen ssh` has made.
///
/// The open of the page is answered as soon as the browser has the page, long before the end of the login. So `lsopen` there
/// says when the port is no longer needed: when the browser was answered, or the tool has closed the port or has ended.
final class LoginCallbacks {
  private struct Forward: Hashable {
    let remote: RemoteName
    let port: UInt16
  }

  /// The folder with the control sockets of ssh; nil without a runtime folder of the session.
  private let folder: String?
  private let remotes: RemoteStore
  /// The ports that are forwarded now, by the names of the remotes, for the next daemon; nil without the folder.
  private let memory: StateFile<[String: [UInt16]]>?
  private let environment: HandlerEnvironment
  private let journal: Journal
  /// The loopback address at which a program of this machine listens at a port; nil for none.
  private let usedAddress: (_ port: UInt16) -> String?

  /// A port that is forwarded now.
  private final class Kept {
    let socket: String
    let host: LoopbackHost
    var limit: Deadline?
    /// Runs while the port is needed there.
    var watch: ChildProcess?
    /// The end of a pipe that the watch reads until the port is no longer forwarded.
    var input: OwnedDescriptor?

    init(socket: String, host: LoopbackHost) {
      self.socket = socket
      self.host = host
    }
  }

  private var forwards: [Forward: Kept] = [:]

  /// The opens that ask ssh for a port now.
  private var underWay: [Forward: Asking] = [:]

  private struct Asking {
    var opens = 0
    /// Whether no program used the port before ssh was asked.
    var wasFree = false
  }

  /// The longest time for a login.
  static let duration = Duration.seconds(600)
  /// Maximum number of ports of one remote at the same time.
  static let mostPorts = 4
  /// Timeout for ssh to ask its master.
  private static let patience = Duration.seconds(3)

  init(
    folder: String?, _ remotes: RemoteStore, _ environment: HandlerEnvironment, _ journal: Journal,
    usedAddress: @escaping (_ port: UInt16) -> String? = LoopbackPort.usedAddress
  ) {
    self.usedAddress = usedAddress
    self.folder = folder
    memory = folder.map { StateFile(path: $0 + "/ports.plist") }
    self.remotes = remotes
    self.environment = environment
    self.journal = journal
  }

  /// Ends what an earlier daemon has forwarded: ssh goes on without it, and this daemon does not know when the logins are
  /// over.
  func endEarlier() {
    guard let ports = memory?.read(journal), !ports.isEmpty else { return }
    remember()
    Task {
      for (name, ports) in ports.sorted(by: { $0.key < $1.key }) {
        guard let remote = RemoteName(name) else { continue }
        for port in ports where forwards[Forward(remote: remote, port: port)] == nil {
          for socket in controlSockets(of: remote) { await cancelAll(port, socket) }
          logEnd(of: Forward(remote: remote, port: port), "launchservicesd was started again")
        }
      }
    }
  }

  private func remember() {
    var ports: [String: [UInt16]] = [:]
    for forward in forwards.keys { ports[forward.remote.text, default: []].append(forward.port) }
    do throws(FileError) {
      try memory?.write(ports.mapValues { $0.sorted() })
    } catch {
      journal.warning(
        "the ports of login callbacks cannot be stored; they stay forwarded when this process ends",
        ["reason": "\(error)"])
    }
  }

  /// The callback of the login that a remote opens; nil when the remote needs no port.
  func callback(of url: String, by caller: Caller) -> LoginCallback? {
    guard case .remote = caller else { return nil }
    return LoginCallback(url)
  }

  /// Forwards the port until the login is over, unless that is impossible; the reason is logged.
  /// - Returns: why the port is not forwarded; nil when the port is forwarded.
  func forward(_ callback: LoginCallback, for caller: Caller) async -> CallbackProblem? {
    guard case .remote(let remote) = caller else { return nil }
    let port = callback.port
    guard isAllowed(remote) else {
      journal.notice(
        "a login callback is not forwarded to the remote; to forward callbacks, use: lsregister"
          + " remote allow-callback \(remote.text)",
        ["remote": remote.text, "port": "\(port)"])
      return .notAllowed
    }
    let forward = Forward(remote: remote, port: port)
    if others(than: forward) >= Self.mostPorts { await forgetEnded(of: remote) }
    guard others(than: forward) < Self.mostPorts else {
      return refuse(
        forward, .tooManyPorts,
        "\(Self.mostPorts) ports are forwarded for this remote, which is the limit")
    }
    underWay[forward, default: Asking()].opens += 1
    defer {
      underWay[forward]?.opens -= 1
      if underWay[forward]?.opens == 0 { underWay[forward] = nil }
    }
    let host = callback.host
    if let known = forwards[forward] {
      if known.host != host {
        _ = await control(.cancelPort(port, known.host), known.socket)
      } else if await control(.forwardPort(port, host), known.socket) {
        return keep(forward, known.socket, host, until: callback.end)
      }
    }
    let sockets = controlSockets(of: remote)
    // Without a connection, the remote does not learn which ports programs of this machine use.
    guard !sockets.isEmpty else {
      forget(forward)
      return refuse(forward, .notConnected, "the remote is not connected by 'lsopen ssh'")
    }
    if let address = await foreignAddress(forward, sockets) {
      return refuse(
        forward, .portInUse, "another program of this machine uses the port at \(address)")
    }
    for socket in sockets where await control(.forwardPort(port, host), socket) {
      journal.notice(
        "a login callback is forwarded to the remote",
        ["remote": remote.text, "port": "\(port)"])
      return keep(forward, socket, host, until: callback.end)
    }
    forget(forward)
    return refuse(forward, .failed, "ssh could not forward the port")
  }

  private func isAllowed(_ remote: RemoteName) -> Bool {
    remotes[remote]?.forwardsCallbacks == true
  }

  /// The number of ports of the same remote that are or will be forwarded besides this one.
  private func others(than forward: Forward) -> Int {
    Set(forwards.keys).union(underWay.keys).count { $0.remote == forward.remote && $0 != forward }
  }

  /// The loopback address at which a program listens that is not ssh with this port; nil for a free port. ssh forwards
  /// a port also if one of the two addresses of `localhost` is free, and the browser would reach both programs.
  private func foreignAddress(_ forward: Forward, _ sockets: [String]) async -> String? {
    if underWay[forward]?.wasFree == true { return nil }
    if usedAddress(forward.port) != nil {
      // A daemon that has ended may have left the port to ssh.
      for socket in sockets { await cancelAll(forward.port, socket) }
    }
    // Another open may have asked ssh for the port in the meantime.
    if underWay[forward]?.wasFree == true { return nil }
    let address = usedAddress(forward.port)
    underWay[forward]?.wasFree = address == nil
    return address
  }

  private func keep(
    _ forward: Forward, _ socket: String, _ host: LoopbackHost, until end: RemoteShell.CallbackEnd
  ) -> CallbackProblem? {
    forget(forward)
    let kept = Kept(socket: socket, host: host)
    forwards[forward] = kept
    remember()
    kept.limit = Deadline(after: Self.duration) { [weak self] in
      self?.end(forward, "\(Self.duration.components.seconds / 60) minutes have passed")
    }
    // The user may have changed the right in the meantime.
    guard isAllowed(forward.remote) else {
      self.end(forward, Self.notAllowed)
      return .notAllowed
    }
    watch(forward, kept, until: end)
    return nil
  }

  /// Has `lsopen` there say when the port is no longer needed.
  private func watch(_ forward: Forward, _ kept: Kept, until end: RemoteShell.CallbackEnd) {
    guard let program = ProgramLookup.find("ssh", path: environment.path),
      let pipe = try? PipeEnds()
    else { return }
    let reading = OwnedDescriptor(adopting: pipe.reading)
    kept.input = OwnedDescriptor(adopting: pipe.writing)
    var launch = Launch(
      executable: program,
      arguments: SSHCommand.overMaster(
        socket: kept.socket, command: RemoteShell.awaiting(forward.port, until: end)),
      environment: environment.ofTools, workingDirectory: "/", standardOutput: .nothing)
    launch.standardInput = .descriptor(reading.number)
    launch.standardError = .nothing
    kept.watch = try? ChildProcess(launch) { [weak self, weak kept] status in
      guard let self, let kept, forwards[forward] === kept else { return }
      kept.watch = nil
      if status == .exited(code: 0) {
        self.end(forward, "the browser was answered, or the program there has ended")
      } else {
        Task { await self.watchFailed(forward, kept) }
      }
    }
  }

  /// The watch has ended with its connection, or could not run there.
  private func watchFailed(_ forward: Forward, _ kept: Kept) async {
    guard await !forgetIfEnded(forward, kept), forwards[forward] === kept else { return }
    journal.notice(
      "lsopen on the remote does not say when a login is over, so the port stays forwarded for \(Self.duration.components.seconds / 60) minutes; install the same"
        + " version of lsopen there",
      ["remote": forward.remote.text, "port": "\(forward.port)"])
  }

  /// Forgets a port whose connection has ended, and with it the forwarding.
  private func forgetIfEnded(_ forward: Forward, _ kept: Kept) async -> Bool {
    guard await !control(.check, kept.socket), forwards[forward] === kept else { return false }
    forget(forward)
    logEnd(of: forward, "the connection of 'lsopen ssh' has ended")
    return true
  }

  /// Forgets the ports of a remote whose connections have ended.
  private func forgetEnded(of remote: RemoteName) async {
    for (forward, kept) in forwards where forward.remote == remote {
      _ = await forgetIfEnded(forward, kept)
    }
  }

  private func refuse(
    _ forward: Forward, _ problem: CallbackProblem, _ why: String
  ) -> CallbackProblem {
    journal.notice(
      "a login callback cannot be forwarded to the remote",
      ["remote": forward.remote.text, "port": "\(forward.port)", "reason": why])
    return problem
  }

  private func end(_ forward: Forward, _ why: String) {
    guard let kept = forget(forward) else { return }
    logEnd(of: forward, why)
    Task { _ = await control(.cancelPort(forward.port, kept.host), kept.socket) }
  }

  private func logEnd(of forward: Forward, _ why: String) {
    journal.notice(
      "a login callback is no longer forwarded to the remote",
      ["remote": forward.remote.text, "port": "\(forward.port)", "reason": why])
  }

  @discardableResult private func forget(_ forward: Forward) -> Kept? {
    guard let kept = forwards.removeValue(forKey: forward) else { return nil }
    remember()
    kept.limit?.cancel()
    kept.watch?.signalGroup(SIGTERM)
    kept.input = nil
    return kept
  }

  private static let notAllowed = "callbacks are not allowed for the remote"

  /// Ends all forwards of a remote, whose user no longer allows them. Returns when the ports are closed.
  func endAll(of remote: RemoteName) async {
    let ended = forwards.keys.filter { $0.remote == remote }.compactMap { forward in
      forget(forward).map { (forward, $0) }
    }
    for (forward, _) in ended { logEnd(of: forward, Self.notAllowed) }
    for (forward, kept) in ended {
      _ = await control(.cancelPort(forward.port, kept.host), kept.socket)
    }
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

  /// Ends the forwarding of a port that an earlier daemon may have made, for each address that a callback may name.
  private func cancelAll(_ port: UInt16, _ socket: String) async {
    for host in LoopbackHost.allCases { _ = await control(.cancelPort(port, host), socket) }
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
