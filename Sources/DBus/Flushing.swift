internal import CDBus

extension Connection {
  /// Blocks until all queued messages are written or the time has passed.
  /// - Returns: whether all were written.
  package func flush(within limit: Duration) -> Bool {
    let end = Instant.now + limit
    while isConnected, hasUnwritten {
      let rest = Int32(clamping: Int((end - .now) / .milliseconds(1)))
      guard rest > 0 else { return false }
      // Messages that are read meanwhile stay in the queue of libdbus.
      unsafe dbus_connection_read_write(raw, rest)
    }
    return true
  }
}
