internal import BusContract
internal import CallerIdentity
internal import DBus

extension ObjectServer {
  /// A call with the identity of its caller.
  struct Request {
    let content: IncomingCall
    let call: PendingCall
    let facts: CallerTable.Answer
  }
}

/// How a service answers a call. Later calls of the same connection are blocked during asynchronous work.
enum Reply {
  case values([Value])
  /// Sends the values, then runs the closure.
  case answering([Value], then: () -> Void)
  /// Runs the work, then sends its values.
  case later(() async throws(BusError) -> [Value])
  /// A service has stored the call and answers it later.
  case pending
  /// Like `pending`. Later calls of the connection are blocked until the call is answered.
  case pendingInOrder
  /// Like `pending`, after the work. An error that the work throws is sent as the reply.
  case pendingAfter(() async throws(BusError) -> Void)

  static let nothing = Reply.values([])
}
