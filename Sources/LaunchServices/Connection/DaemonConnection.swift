internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc

/// The connections of this process to the daemon.
@MainActor final class DaemonConnection {
  /// The process's main connection. A handler checks in on this connection, by which the daemon identifies it.
  private var session: BusSession?
  /// Whether the main connection leads to a bus, and no handler has checked in on it, so that a daemon without a bus may
  /// answer instead.
  private var isReplaceable = false
  /// Only for blocking calls. A blocking call on the main connection would leave the calls that arrive meanwhile
  /// in libdbus's own queue.
  private var asking: Connection?
  /// The address of a bus other than the session bus.
  private let address: String?
  /// The socket on which the daemon accepts direct connections.
  private let socket: DirectSocket?
  /// The variables that say where a daemon without a bus is; nil when no such daemon is wanted.
  private let environment: Environment?

  typealias Environment = (_ name: String) -> String?

  /// - Parameters:
  ///   - socket: The socket of the daemon on the bus at `address`; the session bus has its own.
  ///   - environment: The variables of the session of the bus at `address`.
  init(address: String? = nil, socket: String? = nil, environment: Environment? = nil) {
    self.address = address
    if address == nil || environment != nil {
      self.environment = environment ?? Self.value
    } else {
      self.environment = nil
    }
    self.socket =
      if let address {
        socket.map { DirectSocket(path: $0, ofBus: address) }
      } else {
        Self.socketOfProcess
      }
  }

  /// Replaces the main connection with the one on which the handler checked in.
  func use(_ session: BusSession) {
    self.session = session
    isReplaceable = false
  }

  /// Sends a call and calls `completion` exactly once. Calls are sent in the order in which they are made.
  func call(
    _ message: borrowing Message, deadline: Duration?,
    completion: @escaping BusSession.Completion
  ) {
    let session: BusSession
    do throws(BusError) {
      session = try connected()
    } catch {
      return completion(.failure(error))
    }
    guard isReplaceable else {
      return session.call(message, deadline: deadline, completion: completion)
    }
    let copy = message.copy()
    session.call(message, deadline: deadline) { [weak self] answer in
      guard case .failure(let error) = answer, DirectOnlyDaemon.mayAnswer(instead: error), let self
      else { return completion(answer) }
      do throws(BusError) {
        guard let other = try sessionBesideBus(insteadOf: session) else {
          return completion(answer)
        }
        other.call(copy, deadline: deadline, completion: completion)
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// Calls on the bus are answered in their order, so their repetitions are sent in this order.
  private func sessionBesideBus(insteadOf last: BusSession) throws(BusError) -> BusSession? {
    if session !== last { return isReplaceable ? nil : session }
    return try connectionBesideBus().map { start($0, isReplaceable: false) }
  }

  /// A connection to a daemon that works without a bus, although the session has one; nil without such a daemon.
  /// - Throws: AccessDenied with the reason when a process that is not the daemon is in its place.
  private func connectionBesideBus() throws(BusError) -> Connection? {
    guard let environment else { return nil }
    return try Self.connectionBesideBus(environment)
  }

  private static func connectionBesideBus(
    _ environment: Environment
  ) throws(BusError) -> Connection? {
    try DirectOnlyDaemon.connection(environment, HandshakePatience(limit: .seconds(1)))
  }

  /// Sends a call that has a `request-id`, and repeats it as `ReconnectPolicy` says.
  /// - Parameter delays: The delay before each further attempt, in milliseconds.
  func ask(
    _ message: @escaping (_ isRepeated: Bool) -> Message, delays: ArraySlice<Int>,
    isRetry: Bool = false, completion: @escaping BusSession.Completion
  ) {
    call(message(isRetry), deadline: nil) { [weak self] answer in
      guard case .failure(let error) = answer, let self, let delay = delays.first,
        ReconnectPolicy.isInterruption(error) || (isRetry && ReconnectPolicy.isAbsence(error))
      else { return completion(answer) }
      Task {
        try? await Task.sleep(for: .milliseconds(delay))
        self.ask(message, delays: delays.dropFirst(), isRetry: true, completion: completion)
      }
    }
  }

  /// Blocks until the daemon answers, at most 5 s.
  func ask(_ message: borrowing Message) throws(BusError) -> [Value] {
    let last = asking
    asking = nil  // do not reuse a connection that failed
    do throws(BusError) {
      if let last { return try ask(message, on: last) }
    } catch {
      // A direct connection ends with its daemon; a new daemon may accept the next one.
      guard error.isDisconnection else { throw error }
    }
    do throws(BusError) {
      return try ask(message, on: try connect())
    } catch {
      guard DirectOnlyDaemon.mayAnswer(instead: error), let other = try connectionBesideBus() else {
        throw error
      }
      return try ask(message, on: other)
    }
  }

  private func ask(
    _ message: borrowing Message, on connection: Connection
  ) throws(BusError) -> [Value] {
    let answer = try connection.callAndWait(message, milliseconds: 5000)
    asking = connection
    return answer
  }

  private func connected() throws(BusError) -> BusSession {
    if let session { return session }
    let (connection, isOnBus) = try busOrDaemon()
    return start(connection, isReplaceable: isOnBus && environment != nil)
  }

  private func start(_ connection: Connection, isReplaceable: Bool) -> BusSession {
    let session = BusSession(connection)
    session.onDisconnect = { [weak self, weak session] in
      if self?.session === session { self?.session = nil }
    }
    session.start()
    self.session = session
    self.isReplaceable = isReplaceable
    return session
  }

  /// Connects to the daemon's socket if it accepts direct connections, else to the bus.
  private func connect() throws(BusError) -> Connection {
    if let connection = directConnection() { return connection }
    return try newConnection()
  }

  /// Connects to the bus; without a bus, to the socket of a daemon. The error of such a daemon contains a
  /// remedy.
  private func busOrDaemon() throws(BusError) -> (Connection, isOnBus: Bool) {
    do throws(BusError) {
      return (try newConnection(), true)
    } catch {
      guard let connection = directConnection() else { throw error }
      return (connection, false)
    }
  }

  private func directConnection() -> Connection? {
    socket?.connection()
  }

  /// A connection of this process to a daemon that works without a bus; nil when none accepts it.
  static var directConnectionOfProcess: Connection? { socketOfProcess?.connection() }

  /// A connection of this process to a daemon that works without a bus, although the session has one.
  /// - Throws: AccessDenied with the reason when a process that is not the daemon is in its place.
  static func connectionBesideBusOfProcess() throws(BusError) -> Connection? {
    try connectionBesideBus(value)
  }

  /// Whether a daemon without a bus started this process. The session may have a bus all the same.
  static var isHandlerWithoutBus: Bool { DirectSocket.ofHandler(value) != nil }

  private static var socketOfProcess: DirectSocket? {
    DirectSocket.ofHandler(value) ?? DirectSocket(value)
  }

  /// The socket on which the daemon of the session bus accepts direct connections.
  static var directSocket: String? { DirectSocket.path(value) }

  private nonisolated static func value(_ name: String) -> String? {
    unsafe getenv(name).flatMap { unsafe $0.pointee == 0 ? nil : String(cString: $0) }
  }

  /// Opens another connection to the bus.
  func newConnection() throws(BusError) -> Connection { try Connection(address: address) }
}
