internal import BusContract
package import DBus

/// The connection of a command to the daemon.
package struct Service {
  /// Sends a call and waits for the reply for at most `milliseconds`; without limit if nil.
  package let call:
    (_ message: borrowing Message, _ milliseconds: Int32?) throws(ServiceFailure) -> [Value]

  /// Passes the signals that arrive after a call to the closure, until the bus closes the connection.
  package let listen: (_ received: (borrowing Message) -> Void) throws(ServiceFailure) -> Void

  /// The reply to the last call that timed out, once; nil when it does not arrive soon.
  package let lateAnswer: () -> Result<[Value], BusError>?

  /// The path of the socket of the remote that is used; nil for a daemon of this machine.
  package var remotePath: () -> String? = { nil }

  /// The process of the daemon, if it is stopped, by SIGSTOP or a debugger.
  package var stoppedDaemon: () -> UInt32? = { nil }

  /// Sends a call and does not wait for the reply. Nil when that is not possible; then nothing was sent, and `call` says
  /// why.
  package var begin: (_ message: borrowing Message) -> BegunCall? = { _ in nil }

  /// A call that was sent.
  package struct BegunCall {
    /// Waits for the reply, as `call` does. After a failure that is an absence of the daemon, nothing has received the
    /// call.
    package let answer: (_ milliseconds: Int32?) throws(ServiceFailure) -> [Value]

    package init(_ answer: @escaping (_ milliseconds: Int32?) throws(ServiceFailure) -> [Value]) {
      self.answer = answer
    }
  }

  package init(
    lateAnswer: @escaping () -> Result<[Value], BusError>? = { nil },
    listen: @escaping ((borrowing Message) -> Void) throws(ServiceFailure) -> Void = { _ in },
    call: @escaping (borrowing Message, Int32?) throws(ServiceFailure) -> [Value]
  ) {
    self.call = call
    self.listen = listen
    self.lateAnswer = lateAnswer
  }

  /// Timeout for queries, in milliseconds. Opens have no such limit.
  package static let patience: Int32 = 25_000

  /// The daemon on the session bus. The bus starts the daemon if necessary. Connects with the first call, so
  /// that commands without a call need no bus.
  /// - Parameters:
  ///   - prefersDirect: whether to use a direct connection if the daemon accepts one, which needs no bus.
  ///   - respond: answers calls of the daemon during a call; nil to refuse them.
  ///   - hear: receives the signals that arrive during a call.
  ///   - remark: called with a text that says what the command waits for, when the daemon does not answer.
  package static func onSessionBus(
    prefersDirect: Bool = false,
    answering respond: ((PendingCall, Connection, _ milliseconds: Int32?) -> Void)? = nil,
    hearing hear: ((borrowing Message) -> Void)? = nil,
    remarking remark: @escaping (String) -> Void = { _ in }
  ) -> Service {
    var bus: Connection?
    var direct: Connection?
    var last: Connection?
    var triesDirect = prefersDirect
    func connectedBus() throws(ServiceFailure) -> Connection {
      if let bus { return bus }
      let made = try connect()
      bus = made
      return made
    }
    func connected(
      for message: borrowing Message, _ wait: Wait
    ) throws(ServiceFailure) -> Connection {
      if message.hasDescriptors || message.destination != Contract.busName.text {
        return try connectedBus()
      }
      if triesDirect { direct = DirectSocket(ProcessArguments.environment)?.connection() }
      triesDirect = false
      if let direct {
        guard message.size > Connection.mostMessageBytes else { return direct }
        guard let bus = try? connectedBus() else { throw tooLarge(message) }
        return bus
      }
      do throws(ServiceFailure) {
        return try connectedBus()
      } catch {
        // The daemon may have no bus either.
        direct = try connectionWithoutBus(wait.patience(remark))
        guard let direct else { throw error }
        guard message.size <= Connection.mostMessageBytes else { throw tooLarge(message) }
        return direct
      }
    }
    func answer(
      _ call: Connection.BegunCall, _ wait: Wait, isProbed: Bool, on current: Connection
    ) throws(BusError) -> [Value] {
      last = current
      let probe = Probe(
        after: max(.zero, wait.untilRemark - SilentDaemon.patience),
        patience: SilentDaemon.patience, Contract.ping,
        onSilence: {
          remark(
            SilentDaemon.remark(
              on: current === direct ? current.peerProcess : nil, wait.milliseconds))
        })
      return try current.wait(
        for: call, milliseconds: wait.remaining, probing: isProbed ? probe : nil,
        answering: { respond?($0, current, $1) }, hearing: { hear?($0) })
    }
    func answer(
      _ message: borrowing Message, _ wait: Wait, on current: Connection
    ) throws(BusError) -> [Value] {
      try answer(
        current.begin(message), wait,
        isProbed: message.destination == Contract.busName.text, on: current)
    }
    /// The daemon, or the bus, has closed the connection. The next call connects again.
    func hasClosed(_ closed: Connection, _ error: BusError, isBus: Bool) -> ServiceFailure {
      if closed === direct { direct = nil }
      if closed === bus { bus = nil }
      return isBus ? .cutOff(error.text) : .ended
    }
    var service = Service {
      last?.takeLateReply(within: 1000)
    } listen: { received throws(ServiceFailure) in
      try connectedBus().listen(received)
    } call: { message, milliseconds throws(ServiceFailure) in
      let wait = Wait(milliseconds: milliseconds)
      let current = try connected(for: message, wait)
      do throws(BusError) {
        return try answer(message, wait, on: current)
      } catch {
        if error.isDisconnection {
          throw hasClosed(current, error, isBus: current === bus)
        }
        let failure = ServiceFailure(error, timeIsUp: wait.isOver)
        guard DirectOnlyDaemon.mayAnswer(instead: error), !message.hasDescriptors,
          message.destination == Contract.busName.text, message.size <= Connection.mostMessageBytes
        else { throw failure }
        direct = try directOnlyDaemon(wait.patience(remark), orElse: failure)
      }
      do throws(BusError) {
        guard let direct else { throw .disconnected("launchservicesd has ended") }
        return try answer(message, wait, on: direct)
      } catch {
        throw ServiceFailure(error, timeIsUp: wait.isOver)
      }
    }
    service.stoppedDaemon = {
      SilentDaemon.stopped(last === direct ? direct?.peerProcess : nil)
    }
    service.begin = { message in
      guard !message.hasDescriptors, message.destination == Contract.busName.text,
        message.size <= Connection.mostMessageBytes,
        let current = try? connected(for: message, Wait(milliseconds: Service.patience))
      else { return nil }
      let (call, isBus) = (current.begin(message), current === bus)
      return BegunCall { milliseconds throws(ServiceFailure) in
        let wait = Wait(milliseconds: milliseconds)
        do throws(BusError) {
          return try answer(call, wait, isProbed: true, on: current)
        } catch {
          if error.isDisconnection { throw hasClosed(current, error, isBus: isBus) }
          throw ServiceFailure(error, timeIsUp: wait.isOver)
        }
      }
    }
    return service
  }

  /// A direct connection where there is no bus; nil when no process listens.
  private static func connectionWithoutBus(
    _ patience: HandshakePatience
  ) throws(ServiceFailure) -> Connection? {
    guard let socket = DirectSocket(ProcessArguments.environment), takesConnections(socket.path)
    else { return nil }
    do throws(BusError) {
      return try socket.connection(patience)
    } catch {
      switch error.name {
      case BusError.timedOut.name: throw .timedOut
      case .accessDenied: throw .notTheDaemon(error.text)
      default: throw .turnedAway(socket.path)
      }
    }
  }

  /// A direct connection to the daemon that has no bus, although there is one.
  /// - Parameter failure: thrown when there is no such daemon.
  private static func directOnlyDaemon(
    _ patience: HandshakePatience, orElse failure: ServiceFailure
  ) throws(ServiceFailure) -> Connection {
    let connection: Connection?
    do throws(BusError) {
      connection = try DirectOnlyDaemon.connection(ProcessArguments.environment, patience)
    } catch {
      switch error.name {
      case BusError.timedOut.name: throw .timedOut
      case .accessDenied: throw .notTheDaemon(error.text)
      default: throw failure
      }
    }
    guard let connection else { throw failure }
    return connection
  }

  /// The error for a message that is too large for a direct connection, when there is no bus.
  private static func tooLarge(_ message: borrowing Message) -> ServiceFailure {
    .refused(
      BusError(
        "org.launchservices.Error.LimitExceeded",
        "the message has \(message.size) bytes, and a direct connection takes at most "
          + "\(Connection.mostMessageBytes); larger ones go over a session bus, and there is none"))
  }

  private static func connect() throws(ServiceFailure) -> Connection {
    do throws(BusError) {
      return try Connection()
    } catch {
      throw .noSessionBus(error.text)
    }
  }
}
