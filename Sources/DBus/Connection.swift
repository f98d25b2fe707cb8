internal import CDBus
internal import Glibc

/// A private connection to a message bus or directly to a peer. Not `Sendable`: it stays in the isolation domain that
/// created it.
@safe package final class Connection {
  let raw: OpaquePointer
  /// Called when a sent message could not be written at once and `writeAvailable` must be called
  /// when the descriptor is writable.
  package var onUnwritten: (() -> Void)?
  /// The sender of all messages on a direct connection, where no bus sets it. The sender field of messages is ignored.
  private let peer: String?
  private let watches: Watches?
  /// Whether the peer answers without delay and has a processor of its own.
  let waitsAwake: Bool
  /// Whether the other end accepts only messages of at most `mostMessageBytes`.
  private(set) var connectsToSocket = false
  /// The serial of the last call that timed out.
  var overdue: UInt32?
  /// The replies to calls for which no method waits now: those of `begin`, and the last one that timed out. Nil until a reply
  /// arrives.
  var keptReplies = KeptReplies()
  /// The number of received calls that have no reply yet.
  package internal(set) var unansweredCalls = 0

  /// Connects to the session bus of the environment, or to the bus at `address`.
  package init(address: String? = nil) throws(BusError) {
    watches = nil
    peer = nil
    waitsAwake = false
    let raw =
      if let address {
        try unsafe BusError.catching { unsafe dbus_connection_open_private(address, $0) }
      } else {
        try unsafe Self.openSessionBus()
      }
    unsafe self.raw = unsafe raw
    unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
    if address != nil {
      _ = try unsafe BusError.catching { unsafe dbus_bus_register(raw, $0) == 0 ? nil : true }
    }
  }

  /// Connects to the socket of another process of this user.
  /// - Parameter limit: The timeout for the handshake.
  package convenience init(
    socket path: String, within limit: Duration = .seconds(1)
  ) throws(BusError) {
    try self.init(socket: path, HandshakePatience(limit: limit))
  }

  /// Connects to the socket of another process of this user.
  package init(socket path: String, _ patience: HandshakePatience) throws(BusError) {
    peer = nil
    watches = nil
    waitsAwake = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1
    // libdbus has no timeout for a process that does not accept connections.
    guard takesConnections(path) else {
      throw .disconnected("no process accepts connections at \(path)")
    }
    unsafe raw = try unsafe Self.open(path)
    connectsToSocket = true
    guard isPeerOfThisUser else { throw .disconnected("\(path) belongs to another user") }
    try authenticate(patience, at: path)
  }

  /// Connects to a socket behind which a process of another machine, or outside of this container, may listen. The
  /// credentials of that process say nothing, so the caller has to trust the path.
  /// - Parameter limit: The timeout for the handshake. Nothing is sent before the other end has answered.
  package init(remoteSocket path: String, within limit: Duration) throws(BusError) {
    peer = nil
    watches = nil
    waitsAwake = false
    unsafe raw = try unsafe Self.open(path)
    connectsToSocket = true
    do throws(BusError) {
      try authenticate(HandshakePatience(limit: limit), at: path)
    } catch {
      guard error.isDisconnection, OfferedMechanisms.identifiesUsers(at: path) else { throw error }
      throw BusError(.authFailed, "the process at \(path) accepts only programs of its own user")
    }
  }

  /// The address of a socket, in which a space and other characters of the path are escaped.
  package static func address(ofSocket path: String) throws(BusError) -> String {
    guard let escaped = unsafe dbus_address_escape_value(path) else {
      throw .failed("libdbus ran out of memory")
    }
    defer { unsafe dbus_free(escaped) }
    return unsafe "unix:path=" + String(cString: escaped)
  }

  private static func open(_ path: String) throws(BusError) -> OpaquePointer {
    let address = try address(ofSocket: path)
    return try unsafe BusError.catching { unsafe dbus_connection_open_private(address, $0) }
  }

  /// Wraps a connection that this process accepted on a socket.
  package init(accepting raw: OpaquePointer, name: String) {
    unsafe self.raw = unsafe dbus_connection_ref(raw)
    peer = name
    waitsAwake = false
    watches = unsafe Watches(of: raw)
    // A message with descriptors ends the connection, so that a peer cannot exhaust the descriptors of this process.
    unsafe dbus_connection_set_max_message_unix_fds(raw, 0)
    // The limits of one connection: received messages, one partial message, and unsent messages.
    unsafe dbus_connection_set_max_message_size(raw, Self.mostMessageBytes)
    unsafe dbus_connection_set_max_received_size(raw, 4 << 20)
  }

  /// Ends the connection when the peer sends a larger message.
  package func limitMessages(to bytes: Int) {
    unsafe dbus_connection_set_max_message_size(raw, bytes)
  }

  /// The largest message that a direct connection accepts, in bytes.
  package static let mostMessageBytes = 2 << 20

  deinit {
    if watches != nil {
      unsafe dbus_connection_set_watch_functions(raw, nil, nil, nil, nil, nil)
    }
    unsafe dbus_connection_close(raw)
    unsafe dbus_connection_unref(raw)
  }

  /// The unique name of this connection.
  package var uniqueName: String {
    unsafe dbus_bus_get_unique_name(raw).map { unsafe String(cString: $0) } ?? ""
  }

  /// Stops reading while unreleased messages hold this many descriptors or more, so that a peer cannot exhaust the
  /// descriptors of this process. A single message may hold as many as the kernel allows: a lower limit would close
  /// the connection instead of refusing the message.
  package func limitReceivedDescriptors(_ number: Int) {
    let mostAtOnce = 253  // SCM_MAX_FD
    unsafe dbus_connection_set_max_message_unix_fds(raw, mostAtOnce)
    unsafe dbus_connection_set_max_received_unix_fds(raw, number)
  }

  /// Limits the bytes that the kernel holds until the other end reads them; further bytes stay in `unwrittenBytes`.
  /// - Parameter bytes: as the kernel counts them: a small message counts for about 800.
  package func limitSocketBuffer(to bytes: Int32) {
    var size = bytes
    _ = unsafe setsockopt(
      fileDescriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The descriptor that is readable when messages may have arrived.
  package var fileDescriptor: Int32 {
    var descriptor: Int32 = -1
    unsafe dbus_connection_get_unix_fd(raw, &descriptor)
    return descriptor
  }

  /// Whether this is a direct connection, without a bus.
  var isDirect: Bool { peer != nil }
  package var isAuthenticated: Bool { unsafe dbus_connection_get_is_authenticated(raw) != 0 }
  package var isConnected: Bool { unsafe dbus_connection_get_is_connected(raw) != 0 }
  package var hasUnwritten: Bool {
    unsafe dbus_connection_has_messages_to_send(raw) != 0 || watches?.wantsToWrite ?? false
  }

  /// Reads and writes what is possible without blocking. Returns false after the connection was closed.
  package func exchangeAvailable() -> Bool {
    guard let watches else { return unsafe dbus_connection_read_write(raw, 0) != 0 }
    // Each step of the handshake reads or writes one line. Output after the last line waits until the descriptor is
    // writable.
    for _ in 0..<8 where !isAuthenticated {
      guard unsafe dbus_connection_read_write(raw, 0) != 0 else { return false }
    }
    guard isAuthenticated else { return true }
    // Bytes that arrived with the last line belong to a message and precede the bytes that are read now.
    unsafe dbus_connection_get_dispatch_status(raw)
    watches.exchange()
    return isConnected
  }

  /// Writes what is possible without blocking, and reads nothing. For a direct connection.
  package func writeAvailable() { watches?.write() }

  /// Removes and returns the oldest received message.
  package func nextMessage() -> Message? {
    guard let message = unsafe dbus_connection_pop_message(raw) else { return nil }
    if let peer { unsafe dbus_message_set_sender(message, peer) }
    return unsafe Message(adopting: message)
  }

  /// Queues the message; libdbus writes what the socket accepts now. Never blocks.
  /// - Returns: the serial that a reply will carry; 0 when the message holds descriptors and the other end does not
  ///   accept descriptors.
  @discardableResult
  package func send(_ message: borrowing Message) -> UInt32 {
    var serial: UInt32 = 0
    unsafe dbus_connection_send(raw, message.raw, &serial)
    if let onUnwritten, hasUnwritten {
      onUnwritten()
    }
    return serial
  }

  /// The bytes that libdbus holds until the socket takes them.
  package var unwrittenBytes: Int { unsafe dbus_connection_get_outgoing_size(raw) }

  /// Whether the socket has unread bytes.
  package var hasUnread: Bool {
    var state = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&state, 1, 0) == 1 && state.revents & Int16(POLLIN) != 0
  }

  /// Whether the peer has closed the connection.
  package var hasHungUp: Bool { DBus.hasHungUp(fileDescriptor) }

  /// Closes the connection. Messages received before remain available.
  package func close() { shutdown(fileDescriptor, Int32(SHUT_RDWR)) }

  /// Blocks until all queued messages are written.
  package func flush() { unsafe dbus_connection_flush(raw) }
}

// MARK: - Blocking calls

extension Connection {
  package enum NameRequest: Equatable, Sendable {
    case owned
    case taken
  }

  /// Requests a well-known name without waiting in its queue.
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

  /// Blocks until the reply to `call` arrives.
  /// - Parameter milliseconds: The timeout; nil waits until the bus closes the connection.
  package func callAndWait(
    _ call: borrowing Message, milliseconds: Int32? = nil
  ) throws(BusError) -> [Value] {
    guard !waitsAwake, !connectsToSocket else {
      return try callAndWait(call, milliseconds: milliseconds) { _, _ in }
    }
    let forever = Int32.max  // DBUS_TIMEOUT_INFINITE
    let reply = try unsafe BusError.catching { error in
      unsafe dbus_connection_send_with_reply_and_block(
        raw, call.raw, milliseconds ?? forever, error)
    }
    return unsafe Message(adopting: reply).arguments()
  }
}

extension Connection {
  /// Answers calls on this thread until the bus closes the connection.
  package func serve(_ answer: (PendingCall) -> Void) {
    repeat {
      while let message = nextMessage() {
        if message.kind == .methodCall { answer(PendingCall(message, on: self)) }
      }
    } while unsafe dbus_connection_read_write(raw, -1) != 0
  }
}

extension Connection {
  /// Passes signals to `received` on this thread until the bus closes the connection.
  package func listen(_ received: (borrowing Message) -> Void) {
    repeat {
      while let message = nextMessage() {
        if message.kind == .signal { received(message) }
      }
    } while unsafe dbus_connection_read_write(raw, -1) != 0
  }
}

/// Whether the other end of a socket sends nothing any more: it is closed, or its process has ended this direction. A process
/// such as ssh that passes the end of a connection on ends one direction first.
package func hasEnded(_ descriptor: Int32) -> Bool {
  if hasHungUp(descriptor) { return true }
  var byte: UInt8 = 0
  return unsafe recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) == 0
}

/// Whether the other end of a socket is closed.
package func hasHungUp(_ descriptor: Int32) -> Bool {
  var state = pollfd(fd: descriptor, events: 0, revents: 0)
  return unsafe poll(&state, 1, 0) == 1 && state.revents & Int16(POLLHUP) != 0
}

/// The version of libdbus, such as 1.14.10.
package var libraryVersion: String {
  var (major, minor, micro): (Int32, Int32, Int32) = (0, 0, 0)
  unsafe dbus_get_version(&major, &minor, &micro)
  return "\(major).\(minor).\(micro)"
}

/// The identity of this machine for `org.freedesktop.DBus.Peer.GetMachineId`.
package func localMachineID() throws(BusError) -> String {
  let text = try unsafe BusError.catching { unsafe dbus_try_get_local_machine_id($0) }
  defer { unsafe dbus_free(text) }
  return unsafe String(cString: text)
}
