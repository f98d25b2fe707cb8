internal import CDBus
internal import Glibc

/// One D-Bus message. Owns exactly one libdbus reference and releases it at the end of its life.
@safe package struct Message: ~Copyable {
  let raw: OpaquePointer

  /// Adopts the reference that the caller owns.
  init(adopting raw: OpaquePointer) { unsafe self.raw = unsafe raw }

  deinit { unsafe dbus_message_unref(raw) }
}

extension Message {
  package static func call(
    to destination: BusName, path: ObjectPath, interface: InterfaceName, member: MemberName,
    _ arguments: [Value] = [], expectsReply: Bool = true
  ) -> Message {
    let message = unsafe Message(
      adopting: present(
        dbus_message_new_method_call(
          destination.text, path.text, interface.text, member.text)))
    unsafe dbus_message_set_no_reply(message.raw, expectsReply ? 0 : 1)
    message.append(arguments)
    return message
  }

  package static func signal(
    path: ObjectPath, interface: InterfaceName, member: MemberName, _ arguments: [Value] = [],
    to destination: BusName? = nil
  ) -> Message {
    let message = unsafe Message(
      adopting: present(dbus_message_new_signal(path.text, interface.text, member.text)))
    if let destination { unsafe dbus_message_set_destination(message.raw, destination.text) }
    message.append(arguments)
    return message
  }

  /// Reads a message from its marshalled bytes; nil when they are not exactly one valid message.
  package init?(marshalled bytes: [UInt8]) {
    let message = unsafe bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      guard let start = buffer.baseAddress, let count = Int32(exactly: buffer.count) else {
        return nil
      }
      return unsafe start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
        unsafe dbus_message_demarshal($0, count, nil)
      }
    }
    guard let message = unsafe message else { return nil }
    unsafe self.init(adopting: message)
  }

  /// The marshalled bytes.
  /// - Parameter serial: the number that a reply will carry.
  package func marshalled(serial: UInt32) -> [UInt8] {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    unsafe dbus_message_set_serial(raw, serial)
    guard unsafe dbus_message_marshal(raw, &bytes, &count) != 0, let start = unsafe bytes else {
      preconditionFailure("libdbus ran out of memory")
    }
    defer { unsafe dbus_free(bytes) }
    return unsafe UnsafeBufferPointer(start: start, count: Int(count)).map(UInt8.init(bitPattern:))
  }

  /// The number of marshalled bytes.
  package var size: Int {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard unsafe dbus_message_marshal(raw, &bytes, &count) != 0 else { return 0 }
    unsafe dbus_free(bytes)
    return Int(count)
  }

  /// The length of the message at the start of these bytes; 0 when there are too few bytes to determine the length, nil
  /// when they are not the start of a message.
  static func length(ofFirstIn bytes: [UInt8]) -> Int? {
    let length = unsafe bytes.withUnsafeBufferPointer { buffer -> Int32 in
      guard let start = buffer.baseAddress else { return 0 }
      return unsafe start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
        unsafe dbus_message_demarshal_bytes_needed($0, Int32(clamping: buffer.count))
      }
    }
    return length < 0 ? nil : Int(length)
  }

  package func reply(_ arguments: [Value] = []) -> Message {
    let message = unsafe Message(adopting: present(dbus_message_new_method_return(raw)))
    message.forbidServiceStart()
    message.append(arguments)
    return message
  }

  package func reply(_ error: BusError) -> Message {
    // libdbus rejects text that is not UTF-8 or contains NUL; a Swift string may contain NUL.
    let text = error.text.replacingNUL
    let message = unsafe Message(
      adopting: present(dbus_message_new_error(raw, error.name.text, text)))
    message.forbidServiceStart()
    return message
  }

  /// Whether the bus looks for a service that it could start for this message.
  var mayStartService: Bool { unsafe dbus_message_get_auto_start(raw) != 0 }

  /// Sets the flag NO_AUTO_START. Without the flag, dbus-daemon reads all folders of services again for each reply to a
  /// connection that has ended.
  package func forbidServiceStart() { unsafe dbus_message_set_auto_start(raw, 0) }

  /// A reply to a call whose message was released.
  /// - Parameter serial: of the call.
  package static func reply(
    to destination: BusName, serial: UInt32, _ error: BusError
  ) -> Message {
    let message = unsafe Message(
      adopting: present(dbus_message_new(DBUS_MESSAGE_TYPE_ERROR)))
    let succeeded =
      unsafe dbus_message_set_reply_serial(message.raw, serial) != 0
      && dbus_message_set_destination(message.raw, destination.text) != 0
      && dbus_message_set_error_name(message.raw, error.name.text) != 0
    precondition(succeeded, "libdbus ran out of memory")
    unsafe dbus_message_set_no_reply(message.raw, 1)
    message.forbidServiceStart()
    message.append([.string(error.text.replacingNUL)])
    return message
  }

  /// Whether the path is longer than that of any object of this project. A path may have as many bytes as a message.
  package var hasLongPath: Bool {
    guard let path = unsafe dbus_message_get_path(raw) else { return false }
    return unsafe strnlen(path, Self.longestPath + 1) > Self.longestPath
  }

  /// In bytes.
  package static let longestPath = 255

  /// A copy that can be sent: a message from marshalled bytes has the number of its first sending.
  package func copy() -> Message {
    unsafe Message(adopting: present(dbus_message_copy(raw)))
  }

  /// A copy of the call without arguments and descriptors, which is enough to reply to it.
  func withoutArguments() -> Message {
    let message = unsafe Message(
      adopting: present(
        dbus_message_new_method_call(
          nil, dbus_message_get_path(raw), dbus_message_get_interface(raw),
          dbus_message_get_member(raw))))
    let succeeded = unsafe dbus_message_set_sender(message.raw, dbus_message_get_sender(raw))
    precondition(succeeded != 0, "libdbus ran out of memory")
    unsafe dbus_message_set_serial(message.raw, serial)
    unsafe dbus_message_set_no_reply(message.raw, expectsReply ? 0 : 1)
    return message
  }

  /// libdbus returns nil only when it is out of memory, from which this program does not recover.
  private static func present(_ raw: OpaquePointer?) -> OpaquePointer {
    guard let raw = unsafe raw else { preconditionFailure("libdbus ran out of memory") }
    return unsafe raw
  }
  private func present(_ raw: OpaquePointer?) -> OpaquePointer { unsafe Self.present(raw) }
}

extension Message {
  package enum Kind: Int32 {
    case methodCall = 1
    case methodReturn, error, signal
  }

  package var hasDescriptors: Bool { unsafe dbus_message_contains_unix_fds(raw) != 0 }
  package var kind: Kind? { Kind(rawValue: unsafe dbus_message_get_type(raw)) }
  package var serial: UInt32 { unsafe dbus_message_get_serial(raw) }
  package var replySerial: UInt32 { unsafe dbus_message_get_reply_serial(raw) }
  package var expectsReply: Bool { unsafe dbus_message_get_no_reply(raw) == 0 }
  package var destination: String? { unsafe text(dbus_message_get_destination(raw)) }
  package var sender: String? { unsafe text(dbus_message_get_sender(raw)) }
  package var path: String? { unsafe text(dbus_message_get_path(raw)) }
  package var interface: String? { unsafe text(dbus_message_get_interface(raw)) }
  package var member: String? { unsafe text(dbus_message_get_member(raw)) }
  package var errorName: String? { unsafe text(dbus_message_get_error_name(raw)) }
  package var signature: String { unsafe text(dbus_message_get_signature(raw)) ?? "" }

  private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    unsafe pointer.map { unsafe String(cString: $0) }
  }

  /// What a reply says.
  /// - Parameter bytes: maximum size of the values in bytes; the result of a larger reply is `replyTooLarge`. Nil for no
  ///   limit. With a limit, an error text of more than `longestErrorText` bytes is cut in its middle.
  package func result(atMost bytes: Int?) -> Result<[Value], BusError> {
    if let error = error(atMost: bytes == nil ? .max : Self.longestErrorText) {
      return .failure(error)
    }
    guard let bytes else { return .success(arguments()) }
    return arguments(atMost: bytes).map(Result.success) ?? .failure(.replyTooLarge)
  }

  /// The error that a reply reports; nil for other messages.
  package var error: BusError? { error(atMost: .max) }

  private func error(atMost bytes: Int) -> BusError? {
    guard kind == .error else { return nil }
    let name = errorName.flatMap(ErrorName.init)
    return BusError(name ?? .failed, errorText(atMost: bytes))
  }

  /// Maximum size of the text of an error from a process that is not trusted, in bytes.
  package static let longestErrorText = 4096
}

extension String {
  /// The string with NUL replaced, because D-Bus strings cannot contain NUL.
  var replacingNUL: String {
    utf8.contains(0) ? String(map { $0 == "\0" ? "\u{FFFD}" : $0 }) : self
  }
}
