internal import CDBus
internal import Glibc

/// One query to a message bus on a separate connection: which process owns a name.
///
/// The handshake and the query are written together, so that the bus answers while the caller does other work. libdbus
/// would wait for three answers of the bus before it sends the query.
@safe package struct OwnerQuestion: ~Copyable {
  package enum Answer: Equatable, Sendable {
    /// The process that owns the name. The bus has its number from the kernel.
    case process(UInt32)
    /// The name has no owner, or the bus does not return the owner's process.
    case unknown
    /// No process accepts connections at the address.
    case noBus
  }

  /// The connection, or an answer that is known already.
  private enum State {
    case asked(Int32)
    case answered(Answer)
  }
  private let state: State

  /// The timeout for the bus, in milliseconds.
  private static let patience = 5000

  /// Sends the query to the bus at `address`. Does not wait.
  package init(_ name: BusName, at address: String) {
    state = Self.ask(Self.question(name), at: address)
  }

  deinit {
    if case .asked(let descriptor) = state { close(descriptor) }
  }

  /// Waits for the answer, at most five seconds.
  package func answer() -> Answer {
    guard case .asked(let descriptor) = state else {
      if case .answered(let answer) = state { return answer }
      return .unknown
    }
    let end = Instant.now + .milliseconds(Self.patience)
    var answer = BusAnswer(to: Self.serial)
    var bytes = [UInt8](repeating: 0, count: 2048)
    while true {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = Int32(clamping: Int((end - .now) / .milliseconds(1)))
      guard rest > 0, unsafe poll(&state, 1, rest) > 0 || errno == EINTR else { return .unknown }
      let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      guard count > 0 else { return .unknown }
      switch answer.take(bytes.prefix(count)) {
      case .incomplete: continue
      case .unusable: return .unknown
      case .reply(let reply):
        guard reply.kind == .methodReturn, let process = reply.arguments().first?.asUInt32 else {
          return .unknown
        }
        return .process(process)
      }
    }
  }

  /// The serial of the query; that of `Hello` is 1.
  private static let serial: UInt32 = 2

  private static func question(_ name: BusName) -> [UInt8] {
    // Each digit as the two hexadecimal digits of its ASCII code, such as `30` for `0`.
    var user = ""
    for digit in "\(geteuid())" {
      user += "3"
      user.append(digit)
    }
    let handshake = "\0AUTH EXTERNAL \(user)\r\nBEGIN\r\n"
    return Array(handshake.utf8) + MessageBus.call("Hello", []).marshalled(serial: 1)
      + MessageBus.processNumber(of: name).marshalled(serial: serial)
  }

  /// Tries the places of the address in their order, as libdbus does.
  private static func ask(_ question: [UInt8], at address: String) -> State {
    guard let places = SocketPlace.all(in: address) else { return .answered(.unknown) }
    for place in places {
      switch place.connected() {
      case .connected(let descriptor):
        let count = unsafe send(
          descriptor, question, question.count,
          Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        if count == question.count { return .asked(descriptor) }
        close(descriptor)
        return .answered(.unknown)
      case .nobody: continue
      case .unreachable: return .answered(.unknown)
      }
    }
    return .answered(.noBus)
  }
}

/// The bytes that the bus has sent so far: the end of the handshake, then messages.
private struct BusAnswer: ~Copyable {
  private let serial: UInt32
  /// The end of the handshake, until its line is complete.
  private var line: [UInt8]? = []
  private var messages = MessageStream(atMost: BusAnswer.most)
  private static let most = 1 << 16

  init(to serial: UInt32) { self.serial = serial }

  enum Progress: ~Copyable {
    case incomplete
    case unusable
    case reply(Message)
  }

  mutating func take(_ more: ArraySlice<UInt8>) -> Progress {
    if var line {
      line += more
      guard line.count <= Self.most else { return .unusable }
      guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else {
        self.line = line
        return .incomplete
      }
      guard line.starts(with: "OK ".utf8) else { return .unusable }
      messages.add(line[(end + 1)...])
      self.line = nil
    } else {
      messages.add(more)
    }
    while true {
      switch messages.next() {
      case .incomplete: return .incomplete
      case .unusable: return .unusable
      case .message(let message):
        if message.replySerial == serial { return .reply(message) }
      }
    }
  }
}
