internal import BusContract
package import DBus

/// The daemon as a command sees it: a call, then its answer.
package struct Service {
  /// Waits for the answer as long as `milliseconds` says; nil waits without end.
  package let call:
    (_ message: borrowing Message, _ milliseconds: Int32?) throws(ServiceFailure) -> [Value]

  /// Hands over the signals that come after a call, until the bus is gone.
  package let listen: (_ received: (borrowing Message) -> Void) throws(ServiceFailure) -> Void

  package init(
    listen: @escaping ((borrowing Message) -> Void) throws(ServiceFailure) -> Void = { _ in },
    call: @escaping (borrowing Message, Int32?) throws(ServiceFailure) -> [Value]
  ) {
    self.call = call
    self.listen = listen
  }

  /// How long a question may take, in milliseconds. Opens have no such limit.
  package static let patience: Int32 = 25_000

  /// The daemon on the session bus, which starts it where it does not run. Connects with the first
  /// call, so that what needs no daemon does not need a bus either.
  /// - Parameters:
  ///   - prefersDirect: Calls go to the daemon itself where it takes direct connections, which needs no bus.
  ///   - answer: answers what the daemon asks while a call is under way; nil when it may not.
  ///   - hear: gets the signals that come while a call is under way.
  package static func onSessionBus(
    prefersDirect: Bool = false,
    answering answer: ((PendingCall, Connection, _ milliseconds: Int32?) -> Void)? = nil,
    hearing hear: ((borrowing Message) -> Void)? = nil
  ) -> Service {
    var bus: Connection?
    var direct: Connection?
    var triesDirect = prefersDirect
    func connectedBus() throws(ServiceFailure) -> Connection {
      if let bus { return bus }
      let made = try connect()
      bus = made
      return made
    }
    func connected(for message: borrowing Message) throws(ServiceFailure) -> Connection {
      if message.holdsDescriptors || message.destination != Contract.busName.text {
        return try connectedBus()
      }
      if triesDirect { direct = directConnection() }
      triesDirect = false
      if let direct { return direct }
      do throws(ServiceFailure) {
        return try connectedBus()
      } catch {
        // A daemon that has no bus either.
        direct = directConnection()
        if let direct { return direct }
        if let path = DirectSocket.path(ProcessArguments.environment), takesConnections(path) {
          throw .turnedAway(path)
        }
        throw error
      }
    }
    return Service { received throws(ServiceFailure) in
      try connectedBus().listen(received)
    } call: { message, milliseconds throws(ServiceFailure) in
      let current = try connected(for: message)
      let start = Instant.now
      do throws(BusError) {
        guard answer != nil || hear != nil else {
          return try current.callAndWait(message, milliseconds: milliseconds)
        }
        return try current.callAndWait(
          message, milliseconds: milliseconds, answering: { answer?($0, current, $1) },
          hearing: { hear?($0) })
      } catch {
        if current === direct, error.isDisconnection {
          direct = nil  // the daemon has ended, and the bus starts the next one
          throw ServiceFailure.ended
        }
        let waited = Instant.now - start
        let limit = milliseconds.map { Duration.milliseconds($0) }
        throw ServiceFailure(error, timeIsUp: limit.map { waited >= $0 } ?? false)
      }
    }
  }

  private static func directConnection() -> Connection? {
    DirectSocket(ProcessArguments.environment)?.connection()
  }

  private static func connect() throws(ServiceFailure) -> Connection {
    do throws(BusError) {
      return try Connection()
    } catch {
      throw .noSessionBus(error.text)
    }
  }
}

/// Why the daemon gave no answer, or which refusal it gave.
package enum ServiceFailure: Error, Hashable, Sendable {
  case noSessionBus(String)
  /// There is no session bus, and the process that listens at this path closed the connection.
  case turnedAway(String)
  case notRunning(String)
  /// The caller's own limit.
  case timedOut
  /// It took the call and went away.
  case ended
  case refused(BusError)

  /// The daemon took the call and ended, or refused it because it is about to.
  package var isCutOff: Bool {
    switch self {
    case .ended: true
    case .refused(let error): ReconnectPolicy.isInterruption(error)
    case .noSessionBus, .turnedAway, .notRunning, .timedOut: false
    }
  }

  init(_ error: BusError, timeIsUp: Bool) {
    self =
      switch error.name.text {
      case BusError.timedOut.name.text: .timedOut
      case "org.freedesktop.DBus.Error.NoReply": timeIsUp ? .timedOut : .ended
      case _ where error.isDisconnection: .noSessionBus(error.text)
      case "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.TimedOut":
        .notRunning(error.text)
      case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
        .notRunning(error.text)
      default: .refused(error)
      }
  }
}

extension CommandFailure {
  package init(_ failure: ServiceFailure) {
    switch failure {
    case .noSessionBus(let text):
      self.init(
        .serviceUnreachable,
        "the session bus cannot be reached: \(text); log in to a session, or run the command with "
          + "dbus-run-session; launchservicesd --direct-only answers questions without a bus")
    case .turnedAway(let path):
      self.init(
        .serviceUnreachable,
        "there is no session bus, and launchservicesd, which listens at \(path), turned the connection away; its log"
          + " says why: end programs that hold many connections to it, or try again later")
    case .notRunning(let text):
      self.init(
        .serviceUnreachable,
        "launchservicesd does not run and the bus cannot start it: \(text); start launchservicesd, "
          + "or install it with systemd/install; where systemd starts it, systemctl --user status "
          + "launchservicesd says why it does not run")
    case .timedOut:
      self.init(.failed, "launchservicesd did not answer in time", error: "TimedOut")
    case .ended:
      self.init(
        .failed,
        "launchservicesd ended before it answered, so it is not known what it has done; its log "
          + "may say why", error: "DaemonEnded")
    case .refused(let error):
      let name = Contract.shortName(of: error)
      self.init(
        Self.code(of: name), error.text.isEmpty ? error.name.text : error.text.inCommandTerms,
        error: name)
    }
  }

  /// - Parameter error: the last part of the name of an error of the contract.
  package static func code(of error: String) -> ExitCode {
    error == "NoSuchFile" ? .noSuchFile : .failed
  }
}
