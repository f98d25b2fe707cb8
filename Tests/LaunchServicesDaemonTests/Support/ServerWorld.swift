import BusContract
import DBus
import DBusMainLoop
import Glibc
import Host
import LaunchRules
import ProcessSupervision
import Testing

@testable import CallerIdentity
@testable import LaunchServicesDaemon

/// An object server with the connections of two callers. The test decides when the server gets a call, and how the
/// call is answered.
@MainActor final class ServerWorld {
  let one: SocketPair
  let two: SocketPair
  let server: ObjectServer
  /// What the server believes that the time is, in nanoseconds.
  let clock = Clock()
  /// How calls are answered.
  var respond: (ObjectServer.Request) throws(BusError) -> Reply = { _ in .nothing }
  /// The calls that were handed on, in their order.
  var asked: [String] = []
  /// The same, to be waited for.
  let asks = EventStream<String>()
  /// What the callers were answered.
  let replies = EventStream<String>()
  /// The connections that the server has forgotten.
  let forgotten = EventStream<String>()
  private let callers: CallerTable
  private var collected: [(session: BusSession, call: PendingCall)] = []

  final class Clock {
    var time: UInt64 = 0
  }

  init(
    calls: Int = 100, bytes: Int = 1 << 20, begins: Bool = true,
    credentials: @escaping (String) -> Options? = { credentials(of: $0) }
  ) async throws {
    one = try await SocketPair()
    two = try await SocketPair(name: Self.otherName)
    let journal = Journal(program: "server-tests", environment: [:], descriptor: -1)
    callers = CallerTable(
      one.daemon, WebOrigin(), ServiceManager(BusSession(nil), journal), nil, journal,
      directPeer: { credentials($0).map { .process($0) } })
    server = ObjectServer(
      BusSession(nil), callers,
      WaitingCalls(calls: calls, bytes: bytes, error: Self.exceeded.busError)
    ) { [clock] in clock.time }
    server.serve(one.daemon)
    server.serve(two.daemon)
    server.onRequest = { [unowned self] request throws(BusError) in
      asked.append(Self.label(request.content))
      asks.add(Self.label(request.content))
      return try respond(request)
    }
    server.onForget = { [forgotten] in forgotten.add($0) }
    if begins { server.begin() }
  }

  static let otherName = ":direct.2"
  static let exceeded = OpenFailure.limitExceeded("too many calls wait")
  static let stopped = OpenFailure.shuttingDown("the test has ended")

  /// One caller is this process, the other one its parent.
  nonisolated static func credentials(of connection: String) -> Options? {
    credentials(connection == SocketPair.name ? getpid() : getppid())
  }

  nonisolated static func credentials(_ pid: Int32) -> Options {
    ["UnixUserID": .uint32(getuid()), "ProcessID": .uint32(UInt32(pid))]
  }

  private static func label(_ content: IncomingCall) -> String {
    switch content {
    case .handlers(let name), .setDefaultHandler(let name, _), .canOpenURL(let name, _): name
    default: "\(content)"
    }
  }

  /// Has both callers identified. Without this, the calls of one may be answered before the other is known.
  func identifyCallers() async {
    for name in [SocketPair.name, Self.otherName] {
      await withCheckedContinuation { continuation in
        callers.withFacts(of: name) { _ in continuation.resume() }
      }
    }
  }

  // MARK: Calls

  /// A call that changes nothing. The server gets the call with the next `receive`.
  func ask(_ name: String, from caller: SocketPair) async throws {
    try await call(Contract.handlers(name), name, from: caller)
  }

  /// A call that changes something.
  func change(_ name: String, from caller: SocketPair) async throws {
    try await call(Contract.setDefaultHandler(name, ""), name, from: caller)
  }

  func call(_ message: borrowing Message, _ name: String, from caller: SocketPair) async throws {
    let call = try await caller.call(message) { [replies] in
      switch $0 {
      case .success: replies.add("\(name) answered")
      case .failure(let error): replies.add("\(name) \(Contract.shortName(of: error))")
      }
    }
    collected.append((caller.daemon, call))
  }

  /// The server gets the calls that were made, all before it answers one.
  /// - Parameter answers: false to have it answer later.
  func receive(answers: Bool = true) {
    for (session, call) in collected { session.onCall?(call) }
    collected = []
    if answers { one.daemon.onExchange?() }
  }

  /// The server gets the calls that were made, and may answer each before the next.
  func receiveEach() {
    for (session, call) in collected {
      session.onCall?(call)
      session.onExchange?()
    }
    collected = []
  }

  /// Waits for as many replies.
  func replies(_ count: Int) async throws -> [String] {
    var all: [String] = []
    for _ in 0..<count { all.append(try await replies.next()) }
    return all
  }
}
