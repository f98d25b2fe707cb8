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
    try wait(
      for: begin(call), milliseconds: milliseconds, probing: probe, answering: answer, hearing: hear
    )
  }

  /// A call that was sent, and whose reply the connection keeps until `wait` takes the reply.
  package struct BegunCall {
    fileprivate let serial: UInt32
    /// In bytes.
    fileprivate let size: Int
  }

  /// Sends a call, and does not wait.
  package func begin(_ call: borrowing Message) -> BegunCall {
    let serial = send(call)
    keptReplies.expect(serial)
    return BegunCall(serial: serial, size: connectsToSocket ? call.size : 0)
  }

  /// Waits for the reply to a call of `begin`. The parameters are those of `callAndWait`.
  package func wait(
    for call: BegunCall, milliseconds: Int32?, probing probe: Probe? = nil,
    answering answer: (PendingCall, _ milliseconds: Int32?) -> Void,
    hearing hear: (borrowing Message) -> Void = { _ in }
  ) throws(BusError) -> [Value] {
    var probe = RunningProbe(probe)
    let end = milliseconds.map { Instant.now + .milliseconds($0) }
    if waitsAwake, hasNoReply(call.serial) { waitAwake() }
    func rest() -> Int32? {
      end.map { Int32(clamping: Int((($0 - .now) / .milliseconds(1)).rounded(.up))) }
    }
    while true {
      while hasNoReply(call.serial), let message = nextMessage() {
        if message.kind == .methodCall {
          answer(PendingCall(message, on: self), rest())
        } else if message.kind == .signal {
          hear(message)
        } else {
          keep(message)
          probe.hear(message.replySerial)
        }
      }
      switch keptReplies.take(call.serial) {
      case .missing: break
      case .values(let values): return values
      case .error(let error): throw error
      }
      let rest = rest()
      if let rest, rest <= 0 {
        isOverdue(call.serial)
        throw .timedOut
      }
      let pause = min(rest ?? .max, probe.step(on: self) ?? .max)
      if probe.hasEndedCall { throw .disconnected("the other end of the connection is silent") }
      guard unsafe dbus_connection_read_write(raw, pause == .max ? -1 : pause) != 0 else {
        throw .disconnected(closed(after: call.size))
      }
    }
  }

  private func isOverdue(_ serial: UInt32) {
    if let overdue, overdue != serial { keptReplies.forget(overdue) }
    overdue = serial
  }

  private func keep(_ message: borrowing Message) {
    let serial = message.replySerial
    if hasNoReply(serial) { keptReplies.keep(message, of: serial) }
  }

  /// Whether the reply to a call is kept when it arrives.
  private func hasNoReply(_ serial: UInt32) -> Bool { keptReplies.isExpected(serial) }

  /// The reply to the last call that took longer than its timeout, once.
  /// - Parameter milliseconds: How long to wait for it.
  /// - Returns: Nil when it does not come.
  package func takeLateReply(within milliseconds: Int32) -> Result<[Value], BusError>? {
    guard let overdue else { return nil }
    let end = Instant.now + .milliseconds(milliseconds)
    while hasNoReply(overdue) {
      while let message = nextMessage() { keep(message) }
      let rest = Int32(clamping: Int((end - .now) / .milliseconds(1)))
      guard hasNoReply(overdue), rest > 0,
        unsafe dbus_connection_read_write(raw, rest) != 0
      else { break }
    }
    let reply = keptReplies.take(overdue)
    if case .missing = reply { return nil }
    self.overdue = nil
    return switch reply {
    case .missing: nil
    case .values(let values): .success(values)
    case .error(let error): .failure(error)
    }
  }

  /// - Parameter size: of the call, in bytes.
  private func closed(after size: Int) -> String {
    guard connectsToSocket else { return "the bus closed the connection" }
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

/// The calls of one connection whose replies are waited for, with the replies that have arrived. An array, because there
/// are few. Neither a dictionary nor a `Result`: both look for conformances of their types, which takes a command longer than
/// the call.
struct KeptReplies {
  enum Reply {
    case missing
    case values([Value])
    case error(BusError)
  }
  private struct Call {
    let serial: UInt32
    var reply = Reply.missing
  }
  private var calls: [Call] = []

  private func index(of serial: UInt32) -> Int? { calls.firstIndex { $0.serial == serial } }

  mutating func expect(_ serial: UInt32) { calls.append(Call(serial: serial)) }

  /// Whether the reply has not arrived, and is to be kept.
  func isExpected(_ serial: UInt32) -> Bool {
    guard let index = index(of: serial), case .missing = calls[index].reply else { return false }
    return true
  }

  mutating func keep(_ reply: borrowing Message, of serial: UInt32) {
    guard let index = index(of: serial) else { return }
    if let error = reply.error {
      calls[index].reply = .error(error)
    } else {
      calls[index].reply = .values(reply.arguments())
    }
  }

  mutating func take(_ serial: UInt32) -> Reply {
    guard let index = index(of: serial) else { return .missing }
    let reply = calls[index].reply
    if case .missing = reply { return .missing }
    calls.remove(at: index)
    return reply
  }

  mutating func forget(_ serial: UInt32) {
    if let index = index(of: serial) { calls.remove(at: index) }
  }
}
