/// The messages in a stream of marshalled bytes.
package struct MessageStream {
  private var bytes: [UInt8] = []
  /// Maximum size of the bytes that wait, in bytes.
  private let most: Int

  /// - Parameter most: the size of the largest message, in bytes.
  package init(atMost most: Int) { self.most = most }

  package enum Next: ~Copyable {
    /// More bytes are needed.
    case incomplete
    /// The bytes are no message, or a message that is too large.
    case unusable
    case message(Message)
  }

  package mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

  /// Removes and returns the first message.
  package mutating func next() -> Next {
    guard let length = Message.length(ofFirstIn: bytes), length <= most else { return .unusable }
    guard length > 0, bytes.count >= length else {
      return bytes.count <= most ? .incomplete : .unusable
    }
    guard let message = Message(marshalled: Array(bytes.prefix(length))) else { return .unusable }
    bytes.removeFirst(length)
    return .message(message)
  }
}
