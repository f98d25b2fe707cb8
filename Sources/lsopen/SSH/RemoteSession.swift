internal import Commands
internal import Glibc
internal import LaunchRules

/// Performs `lsopen ssh HOST [COMMAND...]`: a session of ssh in which opens reach this machine.
///
/// A master connection is made first. Over it, a script makes room for a socket on the far machine and removes what an
/// earlier connection has left, which ssh does not do; then the socket of the remote is forwarded, and the session
/// begins.
struct RemoteSession {
  let output: Output
  /// Whether launchservicesd has a remote of this name. Fails when launchservicesd cannot be reached.
  let isRemote: (_ name: String) throws(CommandFailure) -> Bool
  /// Makes the host a remote of launchservicesd, unless it is one, and returns the path of its socket.
  let register: (_ name: String) throws(CommandFailure) -> String
  /// Removes a remote.
  let forget: (_ name: String) throws(CommandFailure) -> Void
  /// The origin of the sessions of a remote, by the path of its socket; nil when it cannot be determined.
  let origin: (_ local: String) -> String?
  /// Runs ssh with these arguments.
  let ssh: (_ program: ChildProgram) throws(CommandFailure) -> ChildProgram.End
  /// A folder of the user for control sockets.
  let controlFolder: () throws(CommandFailure) -> String
  /// Returns letters and digits that nobody can guess.
  let newToken: () -> String

  /// The time for a command of ours on the far machine.
  private static let patience = Duration.seconds(20)

  /// The status of ssh that failed.
  static let failed: Int32 = 255

  /// - Parameter name: of the remote.
  /// - Returns: the status of the command, as ssh reports it.
  func run(_ invocation: SSHInvocation, name: String) -> Int32 {
    do throws(CommandFailure) {
      return try perform(invocation, name: name)
    } catch {
      output.complain(error)
      return error.code == .failed ? Self.failed : error.code.rawValue
    }
  }

  private func perform(
    _ invocation: SSHInvocation, name: String
  ) throws(CommandFailure) -> Int32 {
    // Without launchservicesd, the user is not asked for a password in vain.
    _ = try isRemote(name)
    let token = newToken()
    let control = "\(try controlFolder())/\(SSHControlSocket.name(of: name, token: token))"
    let master = try ssh(
      ChildProgram(
        name: "ssh",
        arguments: SSHCommand.master(invocation, socket: control, log: Self.openableErrorOutput)))
    // ssh has said why.
    guard master.status == 0 else { return master.shellStatus }
    defer { end(control) }
    let wasRemote = try isRemote(name)
    let local = try register(name)
    let place: RemoteShell.Place
    do throws(CommandFailure) {
      place = try prepare(invocation, control, token, origin: origin(local))
      try forward(local, to: place, invocation, control)
    } catch {
      // Without a session the host needs no rights.
      if !wasRemote { try? forget(name) }
      throw error
    }
    defer { tidy(invocation, control, place, local) }
    if place.browser == nil {
      output.complain(
        "lsopen is not in PATH on \(invocation.host), so that programs there have no command that opens"
          + " URLs here; copy it, and give it the name xdg-open there, too:"
          + " \(UnsentReason.copyingCommand(to: invocation.words)); ssh \(invocation.words)"
          + " ln -s lsopen .local/bin/xdg-open")
    }
    return try ssh(
      ChildProgram(
        name: "ssh",
        arguments: SSHCommand.session(
          invocation, socket: control,
          command: RemoteShell.session(invocation.command, place)))
    ).shellStatus
  }

  /// The standard error as a file that ssh can open once more; nil for a socket, or the terminal of another user.
  private static var openableErrorOutput: String? {
    let path = "/dev/stderr"
    let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    return path
  }

  private func forward(
    _ local: String, to place: RemoteShell.Place, _ invocation: SSHInvocation, _ control: String
  ) throws(CommandFailure) {
    let forwarded = try ssh(
      ChildProgram(
        name: "ssh",
        arguments: SSHCommand.control(
          .forward(remote: place.socket, local: local), socket: control)))
    guard forwarded.status == 0 else {
      throw CommandFailure(
        .failed,
        "\(invocation.host) does not forward the socket \(place.socket): sshd there needs"
          + " AllowStreamLocalForwarding, which is on unless its administrator has turned it off")
    }
  }

  private func prepare(
    _ invocation: SSHInvocation, _ control: String, _ token: String, origin: String?
  ) throws(CommandFailure) -> RemoteShell.Place {
    let marker = "lsopen-\(token)"
    let end = try onFarMachine(
      invocation, control,
      RemoteShell.preparation(
        marker: marker, ending: ForwardedSocket.ending(origin: origin, token: token)))
    let lines = end.output.split(separator: "\n").map(String.init)
    if let folder = RemoteShell.unsafeFolder(lines: lines, marker: marker) {
      throw CommandFailure(
        .failed,
        "the folder \(folder) on \(invocation.host) is a symbolic link, belongs to another user, or others may write"
          + " to it: a program of theirs could take the URLs; remove it there, or make it yours with mode 700"
      )
    }
    guard let place = RemoteShell.Place(lines: lines, marker: marker) else {
      throw CommandFailure(
        .failed,
        "\(invocation.host) has no place for a socket: a POSIX shell is needed, and"
          + " $XDG_RUNTIME_DIR or ~/.local/state must be writable and short enough for a socket")
    }
    return place
  }

  /// Runs a script there. The login shell gets the same text for every script.
  private func onFarMachine(
    _ invocation: SSHInvocation, _ control: String, _ script: String
  ) throws(CommandFailure) -> ChildProgram.End {
    try ssh(
      ChildProgram(
        name: "ssh",
        arguments: SSHCommand.overMaster(
          invocation, socket: control, command: RemoteShell.scriptFromInput),
        input: .text(script), limit: Self.patience))
  }

  // MARK: The end

  /// Removes the socket there, which ssh leaves behind. Where the connection is cut, the next session does so.
  private func tidy(
    _ invocation: SSHInvocation, _ control: String, _ place: RemoteShell.Place, _ local: String
  ) {
    _ = try? ssh(quietly(.cancel(remote: place.socket, local: local), control))
    _ = try? ssh(
      ChildProgram(
        name: "ssh",
        arguments: SSHCommand.overMaster(
          invocation, socket: control, command: RemoteShell.scriptFromInput),
        input: .text(RemoteShell.removal(of: place)), isHeard: false, limit: .seconds(5)))
  }

  private func end(_ control: String) { _ = try? ssh(quietly(.exit, control)) }

  private func quietly(_ control: SSHCommand.Control, _ socket: String) -> ChildProgram {
    ChildProgram(
      name: "ssh", arguments: SSHCommand.control(control, socket: socket), isHeard: false,
      limit: .seconds(5))
  }
}
