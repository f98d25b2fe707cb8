/// A received method call that has no reply yet.
///
/// Sends exactly one reply: a second one is a programming error, and a call that is released without a reply gets
/// the error `NoReply`, so that the caller does not wait for its timeout.
package final class PendingCall {
  private var call: Message
  private let connection: Connection
  package private(set) var isAnswered = false
  /// Called once, when the call gets a reply or is abandoned.
  package var onEnd: () -> Void = {}

  package init(_ call: consuming Message, on connection: Connection) {
    sender = call.sender ?? ""
    self.call = call
    self.connection = connection
    connection.unansweredCalls += 1
  }

  /// The unique name of the caller, set by the bus.
  package let sender: String
  package var path: String { call.path ?? "" }
  package var hasLongPath: Bool { call.hasLongPath }
  package var interface: String? { call.interface }
  package var member: String { call.member ?? "" }
  package var signature: String { call.signature }

  package var hasDescriptors: Bool { call.hasDescriptors }

  package func arguments() -> [Value] { call.arguments() }

  /// See `Message.argumentBytes(atMost:)`. 0 once the arguments were dropped.
  package func argumentBytes(atMost limit: Int) -> Int { call.argumentBytes(atMost: limit) }

  package func readMessage<Result, Failure: Error>(
    _ body: (borrowing Message) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(call)
  }

  /// Releases the arguments with their descriptors. What was read of them keeps its own. A reply stays possible.
  package func dropArguments() { call = call.withoutArguments() }

  /// The serial number of the call; nil when the caller expects no reply.
  package var serialOfReply: UInt32? { call.expectsReply ? call.serial : nil }

  /// Marks the call as answered without sending a reply, for a caller that has left.
  package func abandon() {
    precondition(!isAnswered, "a D-Bus call is answered once")
    end()
  }

  private func end() {
    isAnswered = true
    connection.unansweredCalls -= 1
    onEnd()
  }

  package func succeed(_ arguments: [Value] = []) { answer(call.reply(arguments)) }

  /// A text of more than 8,192 bytes is cut: it repeats something a caller sent.
  package func fail(_ error: BusError) {
    let isLong = error.text.utf8.count > Self.longestText
    answer(
      call.reply(
        isLong
          ? BusError(
            error.name,
            String(decoding: error.text.utf8.prefix(Self.longestText), as: UTF8.self) + "…")
          : error))
  }

  private static let longestText = 8192

  private func answer(_ reply: borrowing Message) {
    precondition(!isAnswered, "a D-Bus call is answered once")
    end()
    if call.expectsReply { connection.send(reply) }
  }

  deinit {
    guard !isAnswered else { return }
    end()
    if call.expectsReply {
      connection.send(call.reply(.noReply("the service dropped the call without an answer")))
    }
  }
}
