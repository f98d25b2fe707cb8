import BusContract
import DBusMainLoop
import Testing

@testable import DBus
@testable import LaunchServicesDaemon

@MainActor @Suite("Calls beyond the limits", .timeLimit(.minutes(30)))
struct RefusalsTests {
  /// The refusals of a caller that did not read filled the connection to the bus, and the server answered nobody.
  @Test("Unread refusals leave room for answers to others, and arrive when the caller reads")
  func room() async throws {
    let pair = try await SocketPair()
    let refusals = Refusals()
    let replies = EventStream<String>()
    pair.daemon.connection?.limitSocketBuffer(to: 1 << 12)
    var calls: [PendingCall] = []
    for _ in 1...600 {
      calls.append(
        try await pair.call(Contract.handlers("x")) {
          if case .failure(let error) = $0 { replies.add(Contract.shortName(of: error)) }
        })
    }
    pair.other.reads = false
    for call in calls { refusals.add(call, ServerWorld.exceeded.busError, on: pair.daemon) }
    for _ in 1...20 { refusals.answerSome() }
    #expect(pair.daemon.unwrittenBytes > 0)
    // One more refusal than the limit admits.
    #expect(pair.daemon.unwrittenBytes < CallLimits.mostUnwrittenForRefusals + 512)
    #expect(CallLimits.mostUnwrittenForRefusals + 512 < CallLimits.mostUnwrittenToBus)
    // Nothing is tried again until the connection has room.
    let hasMore = refusals.answerSome()
    #expect(!hasMore)
    pair.daemon.onExchange = { refusals.answerSoon() }
    pair.other.reads = true
    for _ in 1...600 { #expect(try await replies.next() == "LimitExceeded") }
  }

  /// dbus-daemon read its folders of services for each reply to a caller that had ended.
  @Test("A reply starts no service on the bus") func repliesStartNothing() async throws {
    let pair = try await SocketPair()
    let call = try await pair.call(Contract.handlers("x"))
    let replies = call.readMessage { call in
      [call.mayStartService, call.reply().mayStartService, call.reply(.failed("")).mayStartService]
    }
    #expect(replies == [true, false, false])
    let refusal = Message.reply(to: BusName(":1.1"), serial: 1, .failed(""))
    let mayStart = refusal.mayStartService
    #expect(!mayStart)
    call.abandon()
  }
}
