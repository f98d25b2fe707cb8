internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc

/// The connections of this process to the daemon.
@MainActor final class DaemonConnection {
  /// The process's main connection. A handler checks in on this connection, by which the daemon identifies it.
  private var session: BusSession?
  /// Only for blocking calls. A blocking call on the main connection would leave the calls that arrive meanwhile
  /// in libdbus's own queue.
  private var asking: Connection?
  /// The address of a bus other than the session bus.
  private let address: String?
  /// The socket on which the daemon accepts direct connections.
  private let socket: DirectSocket?

  /// - Parameter socket: The socket of the daemon on the bus at `address`; the session bus has its own.
  init(address: String? = nil, socket: String? = nil) {
    self.address = address
    self.socket =
      if let address {
        socket.map { DirectSocket(path: $0, ofBus: address) }
      } else {
        Self.socketOfProcess
      }
  }

  /// Replaces the main connection with the one on which the handler checked in.
  func use(_ session: BusSession) { self.session = session }

  /// Sends a call and calls `completion` exactly once. Calls are sent in the order in which they are made.
  func call(
    _ message: borrowing Message, deadline: Duration?,
    completion: @escaping BusSession.Completion
  ) {
    do throws(BusError) {
      try connected().call(message, deadline: deadline, completion: completion)
    } catch {
      completion(.failure(error))
    }
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
    return try ask(message, on: try connect())
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
    let session = BusSession(try busOrDaemon())
    session.onDisconnect = { [weak self] in self?.session = nil }
    session.start()
    self.session = session
    return session
  }

  /// Connects to the daemon's socket if it accepts direct connections, else to the bus.
  private func connect() throws(BusError) -> Connection {
    if let connection = directConnection() { return connection }
    return try newConnection()
  }

  /// Connects to the bus; without a bus, to the socket of a daemon. The error of such a daemon contains a
  /// remedy.
  private func busOrDaemon() throws(BusError) -> Connection {
    do throws(BusError) {
      return try newConnection()
    } catch {
      guard let connection = directConnection() else { throw error }
      return connection
    }
  }

  private func directConnection() -> Connection? {
    socket?.connection()
  }

  /// A connection of this process to a daemon that works without a bus; nil when none accepts it.
  static var directConnectionOfProcess: Connection? { socketOfProcess?.connection() }

  /// Whether a daemon without a bus started this process. The session may have a bus all the same.
  static var isHandlerWithoutBus: Bool { DirectSocket.ofHandler(environment) != nil }

  private static var socketOfProcess: DirectSocket? {
    DirectSocket.ofHandler(environment) ?? DirectSocket(environment)
  }

  /// The socket on which the daemon of the session bus accepts direct connections.
  static var directSocket: String? { DirectSocket.path(environment) }

  private static func environment(_ name: String) -> String? {
    unsafe getenv(name).flatMap { unsafe $0.pointee == 0 ? nil : String(cString: $0) }
  }

  /// Opens another connection to the bus.
  func newConnection() throws(BusError) -> Connection { try Connection(address: address) }
}
