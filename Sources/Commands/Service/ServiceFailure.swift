internal import BusContract
package import DBus

/// The reason why the daemon did not answer, or its error.
package enum ServiceFailure: Error, Hashable, Sendable {
  case noSessionBus(String)
  /// There is no session bus, and the process that listens at this path closed the connection.
  case turnedAway(String)
  case notRunning(String)
  /// The process that has the lock or the socket of a daemon without a bus does not run the program of the daemon; a
  /// sentence. Nothing was sent.
  case notTheDaemon(String)
  /// The daemon of the other machine, at this path of a forwarded or mounted socket, cannot be reached. Nothing was
  /// sent.
  case remoteUnreachable(String, String)
  /// The daemon at the other end of the socket at this path accepts only programs of its own user. Nothing was sent.
  case noRemoteSocket(String)
  /// The timeout of the command expired.
  case timedOut
  /// The daemon received the call and ended.
  case ended
  /// The session bus closed the connection before the answer; with the text of the bus or of libdbus.
  case cutOff(String)
  case refused(BusError)

  /// Whether the daemon may have received the call, and cannot answer any more, or refused the call because of its
  /// shutdown.
  package var hasLostDaemon: Bool {
    switch self {
    case .ended, .cutOff: true
    case .refused(let error): ReconnectPolicy.isInterruption(error)
    case .noSessionBus, .turnedAway, .notRunning, .notTheDaemon, .remoteUnreachable,
      .noRemoteSocket, .timedOut:
      false
    }
  }

  /// Whether no daemon runs that could be reached, so that nothing was sent.
  package var isAbsence: Bool {
    switch self {
    case .noSessionBus, .turnedAway, .notRunning, .notTheDaemon, .remoteUnreachable,
      .noRemoteSocket:
      true
    case .timedOut, .ended, .cutOff, .refused: false
    }
  }

  init(_ error: BusError, timeIsUp: Bool) {
    self =
      switch error.name.text {
      case ErrorName.timeout.text: .timedOut
      case ErrorName.noReply.text: timeIsUp ? .timedOut : .ended
      case _ where error.isDisconnection: .noSessionBus(error.text)
      case _ where ReconnectPolicy.isAbsence(error): .notRunning(error.text)
      default: .refused(error)
      }
  }
}

extension StateFolder {
  static var ofProcess: StateFolder? { StateFolder(environment: ProcessArguments.environment) }
}

extension CommandFailure {
  /// Whether a session of ssh has started this process, on a machine without a desktop perhaps.
  private static var isOfSSH: Bool { ProcessArguments.environment("SSH_CONNECTION") != nil }
  private static let sshAdvice =
    "to open URLs on the machine from which you came, connect from there with 'lsopen ssh HOST'"

  package init(_ failure: ServiceFailure) {
    switch failure {
    case .noSessionBus(let text):
      self.init(
        .serviceUnreachable,
        "the session bus cannot be reached: \(text); "
          + (Self.isOfSSH ? "\(Self.sshAdvice), or " : "")
          + "log in to a session, or run the command with dbus-run-session;"
          + " launchservicesd --direct-only works without a bus")
    case .turnedAway(let path) where UserNamespace.hasOtherUsers:
      self.init(
        .serviceUnreachable,
        "this process has other user numbers than launchservicesd, which listens at \(path) and refuses it: the"
          + " process is in a container or in a user namespace; outside of it, make a socket for it with 'lsregister"
          + " remote add NAME', and name that in the variable LAUNCH_SERVICES_REMOTE")
    case .turnedAway(let path):
      self.init(
        .serviceUnreachable,
        "there is no session bus, and launchservicesd, which listens at \(path), closed the connection;"
          + " see the log of launchservicesd, end programs that have many connections to"
          + " launchservicesd, or try again later")
    case .notTheDaemon(let text):
      self.init(.serviceUnreachable, "launchservicesd cannot be reached: \(text)")
    case .notRunning(let text) where StateFolder.ofProcess?.owner != nil:
      self.init(
        .serviceUnreachable,
        "launchservicesd does not run on this session bus, and the bus cannot start it: \(text); "
          + (StateFolder.ofProcess?.owner ?? ""))
    case .notRunning(let text):
      self.init(
        .serviceUnreachable,
        "launchservicesd does not run and the bus cannot start it: \(text); start launchservicesd, "
          + "or install it with systemd/install; where systemd starts it, systemctl --user status "
          + "launchservicesd says why it does not run")
    case .remoteUnreachable(let path, let text):
      self.init(
        .serviceUnreachable,
        "nothing was opened: \(Self.unreachable(path, text)); connect again, for example with ssh, and remove the file first if ssh does not replace it; on"
          + " the other side, 'lsregister remote list' shows the sockets")
    case .noRemoteSocket(let path):
      self.init(
        .serviceUnreachable,
        "nothing was opened: \(path) is no socket of a remote: the daemon at its other end accepts only programs of its"
          + " own user; on the other side, 'lsregister remote add NAME' makes a socket for this machine, and"
          + " prints how to bring the socket here")
    case .timedOut:
      self.init(.failed, "launchservicesd did not answer in time", error: "TimedOut")
    case .ended:
      self.init(
        .failed,
        "launchservicesd ended before it answered, so it is not known what it has done; its log "
          + "may say why", error: "DaemonEnded")
    case .cutOff(let text):
      self.init(
        .failed,
        "the session bus closed the connection before launchservicesd answered, so it is not known what"
          + " launchservicesd has done: \(text)", error: "DaemonEnded")
    case .refused(let error):
      let name = Contract.shortName(of: error)
      self.init(
        Self.code(of: name),
        error.text.isEmpty
          ? error.name.text : error.text.inCommandTerms + Self.hint(name, error.text),
        error: name)
    }
  }

  /// The reason of a failure to ask about an open that was sent before, so that it is unknown what has happened.
  package static func reasonAlone(_ failure: ServiceFailure) -> String {
    if case .remoteUnreachable(let path, let text) = failure { return unreachable(path, text) }
    return CommandFailure(failure).reason
  }

  private static func unreachable(_ path: String, _ text: String) -> String {
    "the daemon at the other end of the socket \(path) cannot be reached: \(text)"
  }

  /// The next step, when the daemon does not name it: where the output of an application is that failed to launch
  /// (the daemon names the log of a unit; an application that the daemon started itself writes to the log of the
  /// daemon), or how to find the identifier of an application.
  private static func hint(_ error: String, _ text: String) -> String {
    switch error {
    case "HandlerExited", "LaunchTimedOut":
      text.contains("its log:")
        ? "" : "; the output of the application is in the log of launchservicesd"
    case "NotRegistered":
      text.hasSuffix(" is registered") || text.hasSuffix(" is not registered") ? listHint : ""
    case ErrorName.invalidArgs.text:
      text.hasSuffix(" is not a bundle identifier") ? listHint : ""
    default: ""
    }
  }

  /// How to find the identifier of a registered application.
  package static let listHint = "; 'lsregister list' shows the identifiers of applications"

  /// - Parameter error: the last component of an error name of the contract.
  package static func code(of error: String) -> ExitCode {
    error == "NoSuchFile" ? .noSuchFile : .failed
  }
}
