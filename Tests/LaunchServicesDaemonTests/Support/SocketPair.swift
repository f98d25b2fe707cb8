import DBus
import DBusMainLoop
import Foundation
import Testing

/// The two ends of a socket: the daemon's, and that of a program that calls or is called.
@MainActor final class SocketPair {
  /// The daemon's name for the connection.
  nonisolated static let name = ":direct.1"

  let daemon: BusSession
  let other: BusSession
  private let folder: String
  private let listener: Listener
  private let arrivals = EventStream<Void>()
  private var received: [PendingCall] = []

  init(name: String = SocketPair.name) async throws {
    folder = NSTemporaryDirectory() + "/ls-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var accepted: [BusSession] = []
    let (exchanges, exchanged) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    listener = try Listener(path: folder + "/socket") {
      name
    } accept: { connection, _ in
      let session = BusSession(connection)
      accepted.append(session)
      session.onExchange = { exchanged.yield() }
      session.start()
    }
    let path = folder + "/socket"
    // It waits for the listener, which this thread serves.
    other = BusSession(try await Self.connect(to: path))
    other.start()
    // The other one only looked whether a process listens. This side authenticates a little later than the other.
    for await _ in exchanges
    where accepted.contains(where: { $0.connection?.isAuthenticated == true }) { break }
    daemon = try #require(accepted.last { $0.connection?.isAuthenticated == true })
    daemon.onExchange = nil
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: folder) }

  @concurrent private nonisolated static func connect(to path: String) async throws
    -> sending Connection
  {
    // This process may be busy for longer than a connection usually waits.
    try Connection(socket: path, within: .seconds(300))
  }

  /// Has the other end make a call.
  /// - Returns: the call as the daemon gets it.
  func call(
    _ message: borrowing Message, completion: @escaping BusSession.Completion = { _ in }
  ) async throws -> PendingCall {
    let before = daemon.onCall
    daemon.onCall = { [weak self] in
      self?.received.append($0)
      self?.arrivals.add(())
    }
    other.call(message, deadline: nil, completion: completion)
    try await arrivals.next()
    daemon.onCall = before
    return received.removeFirst()
  }
}

/// Events that a test waits for, in their order.
@MainActor final class EventStream<Value: Sendable> {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(of: Value.self) }

  func add(_ value: Value) { continuation.yield(value) }

  func next() async throws -> Value {
    var iterator = stream.makeAsyncIterator()
    return try #require(await iterator.next())
  }
}
