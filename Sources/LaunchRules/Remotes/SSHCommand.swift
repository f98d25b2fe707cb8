/// Argument vectors of ssh, without the program's name.
package enum SSHCommand {
  /// Seconds for the connection, with banner and key exchange.
  package static let connectTimeout = 15
  /// Seconds without an answer after which a connection to an idle server is tested.
  package static let keepAlive = 15

  /// The seconds for which a master without a session stays, after `lsopen ssh` was killed.
  private static let persistence = 30

  /// A connection that goes on in the background as the master of later commands. It asks for passwords as ssh does,
  /// and has the forwardings of the user's configuration.
  /// - Parameters:
  ///   - socket: the path of the control socket, which does not exist yet.
  ///   - log: the path of the file that ssh writes its messages to, unless the user names one; nil for the standard
  ///     error, which ssh closes before the far machine says which forwardings have failed.
  package static func master(
    _ invocation: SSHInvocation, socket: String, log: String? = nil
  ) -> [String] {
    let log = log.map { ["-E", $0] } ?? []
    let own =
      log + [
        "-o", "ControlMaster=yes", "-o", "ControlPath=\(escaped(socket))",
        "-o", "ControlPersist=\(persistence)", "-o", "RemoteCommand=none", "-fN",
      ]
    return own + invocation.options + ["--", invocation.destination]
  }

  /// A command of ours over the master.
  /// - Parameter command: a command line for the login shell, without anything that differs between shells.
  package static func overMaster(
    _ invocation: SSHInvocation, socket: String, command: String
  ) -> [String] {
    onMaster(socket) + ["-T"] + configuration(of: invocation)
      + ["--", invocation.destination, command]
  }

  /// The session of the user over the master.
  /// - Parameter command: a command line for the login shell.
  package static func session(
    _ invocation: SSHInvocation, socket: String, command: String
  ) -> [String] {
    let terminal = invocation.command.isEmpty ? ["-t"] : []
    return onMaster(socket) + terminal + withoutJump(invocation.options)
      + ["--", invocation.destination, command]
  }

  /// A connection on which no question is asked, for a program that takes part in a protocol on its standard input
  /// and output.
  package static func relay(to destination: String, command: String) -> [String] {
    [
      "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=\(connectTimeout)",
      "-o", "ServerAliveInterval=\(keepAlive)", "-o", "ServerAliveCountMax=2",
      "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none", "-o", "ForwardAgent=no",
      "-o", "ForwardX11=no", "-o", "PermitLocalCommand=no", "-o", "LogLevel=ERROR",
      "--", destination, command,
    ]
  }

  /// A change of the forwardings of a master.
  package enum Control: Hashable, Sendable {
    /// A socket of the far machine to a socket of this one.
    case forward(remote: String, local: String)
    case cancel(remote: String, local: String)
    /// A TCP port of this machine, on the loopback interface, to the same port of the far machine.
    case forwardPort(UInt16, LoopbackHost)
    case cancelPort(UInt16, LoopbackHost)
    /// Only asks whether the master runs.
    case check
    case exit

    fileprivate var words: [String] {
      switch self {
      case .forward(let remote, let local): ["-O", "forward", "-R", "\(remote):\(local)"]
      case .cancel(let remote, let local): ["-O", "cancel", "-R", "\(remote):\(local)"]
      case .forwardPort(let port, let host): ["-O", "forward", "-L", Self.ports(port, host)]
      case .cancelPort(let port, let host): ["-O", "cancel", "-L", Self.ports(port, host)]
      case .check: ["-O", "check"]
      case .exit: ["-O", "exit"]
      }
    }

    private static func ports(_ port: UInt16, _ host: LoopbackHost) -> String {
      "\(host.text):\(port):\(host.text):\(port)"
    }
  }

  /// A command over a master, without the user's configuration.
  package static func overMaster(socket: String, command: String) -> [String] {
    ["-F", "none"] + onMaster(socket) + ["-T", "-o", "LogLevel=ERROR", "--", "master", command]
  }

  /// Speaks only to the master, so that neither the configuration nor the real destination is needed.
  package static func control(_ control: Control, socket: String) -> [String] {
    ["-F", "none", "-o", "ControlPath=\(escaped(socket))"] + control.words + ["--", "master"]
  }

  /// Without its master, a command must fail in place of connecting by itself: its proxy command fails.
  private static func onMaster(_ socket: String) -> [String] {
    [
      "-o", "ControlMaster=no", "-o", "ControlPath=\(escaped(socket))", "-o", "ProxyCommand=false",
      "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none",
    ]
  }

  /// The options that say which configuration file and destination are meant. A command of ours has no terminal, and
  /// needs no others.
  private static func configuration(of invocation: SSHInvocation) -> [String] {
    var kept: [String] = []
    var rest = invocation.options[...]
    while let option = rest.popFirst() {
      guard ["-F", "-l", "-p"].contains(option), let value = rest.first else { continue }
      kept += [option, value]
      rest = rest.dropFirst()
    }
    return kept
  }

  /// ssh refuses `-J` beside a proxy command; only the master needs it.
  private static func withoutJump(_ options: [String]) -> [String] {
    guard let jump = options.firstIndex(of: "-J") else { return options }
    return Array(options[..<jump]) + withoutJump(Array(options[jump...].dropFirst(2)))
  }

  /// ssh expands `%` in the path.
  private static func escaped(_ path: String) -> String {
    path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
  }
}
