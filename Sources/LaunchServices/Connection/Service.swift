internal import BusContract
internal import DBus
internal import DBusMainLoop
internal import Glibc

/// The daemon, as this process reaches it.
@MainActor final class Service {
  /// The process's main connection. A handler checks in on it, so the daemon knows it by this one.
  private var session: BusSession?
  /// Only for questions that wait. On the main connection, waiting would read calls for this
  /// application into libdbus's own queue.
  private var asking: Connection?
  /// Of a bus that is not the session bus.
  private let address: String?
  /// Where the daemon takes direct connections.
  private let socket: DirectSocket?

  /// - Parameter socket: that of the daemon on the bus at `address`; the session bus has its own.
  init(address: String? = nil, socket: String? = nil) {
    self.address = address
    self.socket =
      if let address {
        socket.map { DirectSocket(path: $0, ofBus: address) }
      } else {
        DirectSocket(Self.environment)
      }
  }

  /// Uses the connection of a handler from now on.
  func use(_ session: BusSession) { self.session = session }

  /// Sends a call; `completion` is called exactly once. Calls go out in the order they were made.
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

  /// Sends a call that has a `request-id`, and sends it again when the daemon ends before it answers:
  /// the next one says what became of the request, and delivers nothing twice.
  /// - Parameter pauses: before each further attempt, in milliseconds.
  func ask(
    _ message: @escaping (_ isRepeated: Bool) -> Message, pauses: ArraySlice<Int>,
    afterCutOff: Bool = false,
    completion: @escaping BusSession.Completion
  ) {
    call(message(afterCutOff), deadline: nil) { [weak self] answer in
      guard case .failure(let error) = answer, let self, let pause = pauses.first,
        CutOff.isCutOff(error) || (afterCutOff && CutOff.isAbsence(error))
      else { return completion(answer) }
      Task {
        try? await Task.sleep(for: .milliseconds(pause))
        self.ask(message, pauses: pauses.dropFirst(), afterCutOff: true, completion: completion)
      }
    }
  }

  /// Waits for the answer, at most 5 s.
  func ask(_ message: borrowing Message) throws(BusError) -> [Value] {
    let last = asking
    asking = nil  // a connection that failed is not used again
    do throws(BusError) {
      if let last { return try ask(message, on: last) }
    } catch {
      // A direct connection ends with its daemon, and another may have come.
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

  /// To the daemon itself where it takes direct connections, else to the bus.
  private func connect() throws(BusError) -> Connection {
    if let connection = directConnection() { return connection }
    return try newConnection()
  }

  /// To the bus, else to a daemon that has none either, which says what can be done.
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

  /// Where the daemon of the session bus takes direct connections.
  static var directSocket: String? { DirectSocket.path(environment) }

  private static func environment(_ name: String) -> String? {
    unsafe getenv(name).flatMap { unsafe $0.pointee == 0 ? nil : String(cString: $0) }
  }

  /// Another one to the bus.
  func newConnection() throws(BusError) -> Connection { try Connection(address: address) }
}
