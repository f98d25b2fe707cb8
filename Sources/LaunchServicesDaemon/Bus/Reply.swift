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
  /// Runs the steps one after another, each in a turn of the caller, and sends the values of the last one.
  case inTurns(Step)
  /// Runs the work, then sends its values in a turn of the caller.
  case later(() async throws(BusError) -> [Value])
  /// Runs the work, then its steps like `inTurns`.
  case laterInTurns(() async throws(BusError) -> Step)
  /// A service has stored the call and answers it later.
  case pending
  /// Like `pending`. Later calls of the connection are blocked until the call is answered.
  case pendingInOrder
  /// Like `pending`, after the work. An error that the work throws is sent as the reply.
  case pendingAfter(() async throws(BusError) -> Void)

  /// A part of the work of an answer. Returns nil when another step is needed.
  typealias Step = () throws(BusError) -> [Value]?

  static let nothing = Reply.values([])
}
