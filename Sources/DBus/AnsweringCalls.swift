internal import CDBus
internal import Glibc

// Blocking calls that answer incoming calls while they wait.

extension Connection {
  /// Waits for the reply to `call`, and answers the calls that arrive meanwhile.
  /// - Parameters:
  ///   - milliseconds: The timeout; nil waits until the reply arrives or the bus closes the connection.
  ///   - probe: Sent when the reply takes long.
  ///   - answer: Answers an incoming call; receives the remaining time.
  ///   - hear: Receives the signals that arrive meanwhile.
  package func callAndWait(
    _ call: borrowing Message, milliseconds: Int32?, probing probe: Probe? = nil,
    answering answer: (PendingCall, _ milliseconds: Int32?) -> Void,
    hearing hear: (borrowing Message) -> Void = { _ in }
  ) throws(BusError) -> [Value] {
    var probe = RunningProbe(probe)
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
          return try message.result.get()
        } else {
          keep(message)
          probe.hear(message.replySerial)
        }
      }
      let rest = rest()
      if let rest, rest <= 0 {
        overdue = serial
        throw .timedOut
      }
      let pause = min(rest ?? .max, probe.step(on: self) ?? .max)
      if probe.hasEndedCall { throw .disconnected("the other end of the connection is silent") }
      guard unsafe dbus_connection_read_write(raw, pause == .max ? -1 : pause) != 0 else {
        throw .disconnected(closed(after: call))
      }
    }
  }

  /// Keeps the reply to the last blocking call if that call has timed out.
  private func keep(_ message: borrowing Message) {
    guard let overdue, message.replySerial == overdue else { return }
    self.overdue = nil
    lateReply = message.result
  }

  /// The reply to the last call that took longer than its timeout, once.
  /// - Parameter milliseconds: How long to wait for it.
  /// - Returns: Nil when it does not come.
  package func takeLateReply(within milliseconds: Int32) -> Result<[Value], BusError>? {
    let end = Instant.now + .milliseconds(milliseconds)
    while overdue != nil {
      while let message = nextMessage() { keep(message) }
      let rest = Int32(clamping: Int((end - .now) / .milliseconds(1)))
      guard overdue != nil, rest > 0, unsafe dbus_connection_read_write(raw, rest) != 0 else {
        break
      }
    }
    defer { lateReply = nil }
    return lateReply
  }

  private func closed(after call: borrowing Message) -> String {
    guard connectsToSocket else { return "the bus closed the connection" }
    let size = call.size
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
