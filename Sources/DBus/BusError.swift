package import CDBus

/// A failure as it crosses the bus: the error's name and its text for people.
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
    BusError("org.freedesktop.DBus.Error.InvalidArgs", text)
  }
  package static func failed(_ text: String) -> BusError {
    BusError("org.freedesktop.DBus.Error.Failed", text)
  }
  package static func disconnected(_ text: String) -> BusError {
    BusError("org.freedesktop.DBus.Error.Disconnected", text)
  }
  package static func noReply(_ text: String) -> BusError {
    BusError("org.freedesktop.DBus.Error.NoReply", text)
  }

  package static let descriptorsNotTaken = BusError(
    "org.freedesktop.DBus.Error.NotSupported", "the other end takes no file descriptors")

  package static let unknownMethod: ErrorName = "org.freedesktop.DBus.Error.UnknownMethod"

  /// The connection has ended.
  package var isDisconnection: Bool { name == "org.freedesktop.DBus.Error.Disconnected" }

  /// Of a call of ours whose deadline has passed; the bus itself says `NoReply`.
  package static let timedOut = BusError(
    "org.freedesktop.DBus.Error.Timeout", "no answer within the time allowed")

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
      // Some of libdbus's are lines.
      while text.last == "\n" { text.removeLast() }
      throw unsafe BusError(
        ErrorName(String(cString: raw.name)) ?? "org.freedesktop.DBus.Error.Failed", text)
    }
    return result
  }
}
