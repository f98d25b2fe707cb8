internal import CDBus
internal import Glibc

/// How long a new connection waits for the process that listens at a socket.
package struct HandshakePatience {
  /// Nil to wait until the other end answers or closes the connection.
  let limit: Duration?
  let remark: (delay: Duration, tell: (_ process: UInt32?) -> Void)?

  /// - Parameter limit: nil for none.
  package init(limit: Duration?) {
    self.limit = limit
    remark = nil
  }

  /// - Parameters:
  ///   - limit: nil for none.
  ///   - delay: the time without an answer after which `tell` is called once.
  ///   - tell: receives the process that listens; nil when the kernel does not name it.
  package init(
    limit: Duration?, remarkingAfter delay: Duration, _ tell: @escaping (_ process: UInt32?) -> Void
  ) {
    self.limit = limit
    remark = (delay, tell)
  }
}

extension Connection {
  /// - Throws: `timedOut` when the limit has passed, and `Disconnected` when the other end has closed the connection.
  func authenticate(_ patience: HandshakePatience, at path: String) throws(BusError) {
    let start = Instant.now
    let end = patience.limit.map { start + $0 }
    var remark = patience.remark.map { (time: start + $0.delay, tell: $0.tell) }
    while !isAuthenticated {
      if let due = remark, due.time <= .now {
        remark = nil
        due.tell(peerProcess)
      }
      let next = [end, remark?.time].compactMap(\.self).min()
      let rest = next.map { Int32(clamping: Int((($0 - .now) / .milliseconds(1)).rounded(.up))) }
      if let end, end <= .now {
        throw BusError(
          BusError.timedOut.name, "the process that listens at \(path) does not answer")
      }
      guard unsafe dbus_connection_read_write(raw, rest.map { max(1, $0) } ?? -1) != 0 else {
        throw .disconnected("no process accepts connections at \(path)")
      }
    }
  }
}

/// Asks which proofs of its identity the process at a socket accepts of a process that connects.
enum OfferedMechanisms {
  /// In milliseconds.
  private static let patience: Int32 = 5000
  private static let longestLine = 512

  /// Whether the process at the socket takes part in the handshake of D-Bus, and demands to know the user of each process
  /// that connects: the socket is for programs of its machine.
  static func identifiesUsers(at path: String) -> Bool {
    guard case .connected(let descriptor) = SocketPlace(path: path).connected() else {
      return false
    }
    defer { close(descriptor) }
    // Without a mechanism, the answer to AUTH lists all: "REJECTED EXTERNAL ANONYMOUS".
    let question = Array("\0AUTH\r\n".utf8)
    guard unsafe send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count
    else { return false }
    var line: [UInt8] = []
    while !line.contains(UInt8(ascii: "\n")), line.count < longestLine {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&state, 1, patience) == 1 else { return false }
      var bytes = [UInt8](repeating: 0, count: longestLine)
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return false }
      line += bytes.prefix(count)
    }
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return words.first == "REJECTED" && !words.contains("ANONYMOUS")
  }
}
