package import CDBus

/// A D-Bus error: its name and a text for the user.
package struct BusError: Error, Hashable, Sendable {
  package let name: ErrorName
  package let text: String

  package init(_ name: ErrorName, _ text: String) {
    self.name = name
    self.text = text
  }
}

extension BusError: CustomStringConvertible {
  package var description: String { "\(name): \(text)" }
}

extension BusError {
  package static func invalidArguments(_ text: String) -> BusError {
    BusError(.invalidArgs, text)
  }
  package static func failed(_ text: String) -> BusError {
    BusError(.failed, text)
  }
  package static func disconnected(_ text: String) -> BusError {
    BusError(.disconnected, text)
  }
  package static func noReply(_ text: String) -> BusError {
    BusError(.noReply, text)
  }

  package static let descriptorsNotTaken = BusError(
    .notSupported, "the peer does not accept file descriptors")

  /// Whether the connection was closed.
  package var isDisconnection: Bool { name == .disconnected }

  /// The error of a call whose deadline passed on this side; the bus's own timeout is `NoReply`.
  package static let timedOut = BusError(
    .timeout, "no answer within the time allowed")

  /// The error of a call whose reply is larger than the session allows; nothing is known about its values.
  package static let replyTooLarge = BusError(
    .limitsExceeded, "the reply is too large")

  /// Runs a libdbus call that reports failure through a `DBusError` out-parameter.
  package static func catching<Result: ~Copyable>(
    _ body: (UnsafeMutablePointer<DBusError>) -> Result?
  ) throws(BusError) -> Result {
    var raw = unsafe DBusError()
    unsafe dbus_error_init(&raw)
    defer { unsafe dbus_error_free(&raw) }
    guard let result = unsafe body(&raw) else {
      guard unsafe dbus_error_is_set(&raw) != 0 else {
        throw .failed("libdbus ran out of memory")
      }
      var text = unsafe String(cString: raw.message)
      // Some messages of libdbus end with a line break.
      while text.last == "\n" { text.removeLast() }
      throw unsafe BusError(
        ErrorName(String(cString: raw.name)) ?? .failed, text)
    }
    return result
  }
}
