internal import CDBus

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
