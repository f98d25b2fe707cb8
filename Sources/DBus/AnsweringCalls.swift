internal import CDBus
internal import Glibc

// Blocking calls that answer incoming calls while they wait.

extension Connection {
  /// Waits for the reply to `call`, and answers the calls that arrive meanwhile.
  /// - Parameters:
  ///   - milliseconds: The timeout; nil waits until the reply arrives or the bus closes the connection.
  ///   - answer: Answers an incoming call; receives the remaining time.
  ///   - hear: Receives the signals that arrive meanwhile.
  package func callAndWait(
    _ call: borrowing Message, milliseconds: Int32?,
    answering answer: (PendingCall, _ milliseconds: Int32?) -> Void,
    hearing hear: (borrowing Message) -> Void = { _ in }
  ) throws(BusError) -> [Value] {
    let end = milliseconds.map { Instant.now + .milliseconds($0) }
    let serial = send(call)
    if waitsAwake { waitAwake() }
    func rest() -> Int32? {
      end.map { Int32(clamping: Int((($0 - .now) / .milliseconds(1)).rounded(.up))) }
    }
    while true {
      while let message = nextMessage() {
        if message.kind == .methodCall {
          answer(PendingCall(message, on: self), rest())
        } else if message.kind == .signal {
          hear(message)
        } else if message.replySerial == serial {
          guard message.kind == .error else { return message.arguments() }
          let name = message.errorName.flatMap(ErrorName.init)
          throw BusError(
            name ?? "org.freedesktop.DBus.Error.Failed", message.arguments().first?.asString ?? "")
        }
      }
      let rest = rest()
      if let rest, rest <= 0 { throw .timedOut }
      guard unsafe dbus_connection_read_write(raw, rest ?? -1) != 0 else {
        throw .disconnected(closed(after: call))
      }
    }
  }

  private func closed(after call: borrowing Message) -> String {
    guard connectsToSocket else { return "the bus closed the connection" }
    let size = call.sentSize
    return size > Self.mostMessageBytes
      ? "the message has \(size) bytes, and a direct connection takes at most \(Self.mostMessageBytes)"
      : "the service closed the connection"
  }

  /// Polls briefly for the reply, because sleeping and waking takes longer than most calls.
  private func waitAwake() {
    let end = Instant.now + Self.mostAwake
    var readable = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    while unsafe poll(&readable, 1, 0) == 0, Instant.now < end {}
  }

  private static let mostAwake = Duration.microseconds(100)

  /// The event that came first.
  package enum Input: Equatable, Sendable {
    case descriptor
    case bus
    /// The timeout passed.
    case none
  }

  /// Waits until a descriptor or the bus connection is readable.
  /// - Parameter milliseconds: The timeout; nil for none.
  package func waitForInput(besides descriptor: Int32, milliseconds: Int32?) -> Input {
    flush()
    var watched = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    var count: Int32
    repeat {
      count = unsafe poll(&watched, 2, milliseconds.map { max(0, $0) } ?? -1)
    } while count < 0 && errno == EINTR
    if count == 0 { return .none }
    return watched[1].revents == 0 ? .descriptor : .bus
  }
}
