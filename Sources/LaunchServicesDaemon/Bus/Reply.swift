internal import BusContract
internal import CallerIdentity
internal import DBus

extension ObjectServer {
  /// A call that is to be answered, and what is known of its caller.
  struct Request {
    let content: IncomingCall
    let call: PendingCall
    let facts: CallerTable.Answer
  }
}

/// How a service answers a call. Later calls of the same connection wait while work is under way.
enum Reply {
  case values([Value])
  /// The call is answered with the values, and then the work is done.
  case answering([Value], then: () -> Void)
  /// The call is answered with what the work returns.
  case later(() async throws(BusError) -> [Value])
  /// A service keeps the call, and answers it when the fate is known.
  case pending
  /// The same, after the work. An error that the work throws is the answer.
  case pendingAfter(() async throws(BusError) -> Void)

  static let nothing = Reply.values([])
}
