internal import CDBus

/// A private connection to a message bus. Not `Sendable`: it lives wherever it was made.
@safe package final class Connection {
  let raw: OpaquePointer
  /// Called when a sent message could not be written at once and `writeAvailable` must be called
  /// when the descriptor is writable.
  var onUnwritten: (() -> Void)?

  /// Connects to the session bus of the environment, or to the bus at `address`.
  package init(address: String? = nil) throws(BusError) {
    let raw =
      if let address {
        try unsafe BusError.catching { unsafe dbus_connection_open_private(address, $0) }
      } else {
        try unsafe BusError.catching { unsafe dbus_bus_get_private(DBUS_BUS_SESSION, $0) }
      }
    unsafe self.raw = unsafe raw
    unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
    if address != nil {
      _ = try unsafe BusError.catching { unsafe dbus_bus_register(raw, $0) == 0 ? nil : true }
    }
  }

  deinit {
    unsafe dbus_connection_close(raw)
    unsafe dbus_connection_unref(raw)
  }

  /// The name the bus gave this connection.
  package var uniqueName: String {
    unsafe dbus_bus_get_unique_name(raw).map { unsafe String(cString: $0) } ?? ""
  }

  /// Reads no further while messages that are still held bring this many descriptors or more, so that
  /// nobody can use up those of this process. One message may bring what the kernel lets it: a lower limit
  /// would not refuse such a message but end the connection.
  package func limitReceivedDescriptors(_ number: Int) {
    let mostAtOnce = 253  // SCM_MAX_FD
    unsafe dbus_connection_set_max_message_unix_fds(raw, mostAtOnce)
    unsafe dbus_connection_set_max_received_unix_fds(raw, number)
  }

  /// Becomes readable when there may be messages to take.
  var fileDescriptor: Int32 {
    var descriptor: Int32 = -1
    unsafe dbus_connection_get_unix_fd(raw, &descriptor)
    return descriptor
  }

  var isConnected: Bool { unsafe dbus_connection_get_is_connected(raw) != 0 }
  var hasUnwritten: Bool { unsafe dbus_connection_has_messages_to_send(raw) != 0 }

  /// Reads and writes what is possible without waiting. False once the bus is gone.
  func exchangeAvailable() -> Bool { unsafe dbus_connection_read_write(raw, 0) != 0 }

  /// The oldest message not yet taken.
  func nextMessage() -> Message? {
    guard let message = unsafe dbus_connection_pop_message(raw) else { return nil }
    return unsafe Message(adopting: message)
  }

  /// Hands the message to libdbus, which writes what the socket takes now. Never waits.
  /// - Returns: the serial that a reply will carry.
  @discardableResult
  package func send(_ message: borrowing Message) -> UInt32 {
    var serial: UInt32 = 0
    unsafe dbus_connection_send(raw, message.raw, &serial)
    if let onUnwritten, hasUnwritten { onUnwritten() }
    return serial
  }

  /// Waits until everything sent has been written.
  package func flush() { unsafe dbus_connection_flush(raw) }
}

// MARK: - Calls that wait for their answer

extension Connection {
  package enum NameRequest: Equatable, Sendable {
    case owned
    case taken
  }

  /// Asks for a well-known name, without queueing for it.
  package func requestName(_ name: BusName) throws(BusError) -> NameRequest {
    let reply = try unsafe BusError.catching { error -> Int32? in
      let reply = unsafe dbus_bus_request_name(
        raw, name.text, UInt32(DBUS_NAME_FLAG_DO_NOT_QUEUE), error)
      return reply == -1 ? nil : reply
    }
    switch reply {
    case DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER, DBUS_REQUEST_NAME_REPLY_ALREADY_OWNER:
      return .owned
    default: return .taken
    }
  }

  /// Waits for the answer to `call`.
  /// - Parameter milliseconds: how long; nil waits as long as the bus is there.
  package func callAndWait(
    _ call: borrowing Message, milliseconds: Int32? = nil
  ) throws(BusError) -> [Value] {
    let forever = Int32.max  // DBUS_TIMEOUT_INFINITE
    let reply = try unsafe BusError.catching { error in
      unsafe dbus_connection_send_with_reply_and_block(
        raw, call.raw, milliseconds ?? forever, error)
    }
    return unsafe Message(adopting: reply).arguments()
  }
}

extension Connection {
  /// Answers calls on this thread until the bus is gone.
  package func serve(_ answer: (PendingCall) -> Void) {
    repeat {
      while let message = nextMessage() {
        if message.kind == .methodCall { answer(PendingCall(message, on: self)) }
      }
    } while unsafe dbus_connection_read_write(raw, -1) != 0
  }
}

extension Connection {
  /// Hands over signals on this thread until the bus is gone.
  package func listen(_ received: (borrowing Message) -> Void) {
    repeat {
      while let message = nextMessage() {
        if message.kind == .signal { received(message) }
      }
    } while unsafe dbus_connection_read_write(raw, -1) != 0
  }
}

/// The identity of this machine for `org.freedesktop.DBus.Peer.GetMachineId`.
package func localMachineID() throws(BusError) -> String {
  let text = try unsafe BusError.catching { unsafe dbus_try_get_local_machine_id($0) }
  defer { unsafe dbus_free(text) }
  return unsafe String(cString: text)
}
