internal import CDBus

/// A name of one kind of thing on the bus. A value of such a type is always valid, so nothing that
/// libdbus would abort on can reach it.
package protocol ValidatedName: Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  var text: String { get }
  /// Nil when `text` is not a valid name of this kind (D-Bus specification, "Valid Names").
  init?(_ text: String)
}

extension ValidatedName {
  package var description: String { text }

  /// For names that are written in the source.
  package init(stringLiteral value: String) {
    guard let name = Self(value) else {
      preconditionFailure("\(value) is not a valid \(Self.self)")
    }
    self = name
  }

  fileprivate static func isValid(
    _ text: String, _ validate: (UnsafePointer<CChar>, UnsafeMutablePointer<DBusError>?) -> UInt32
  ) -> Bool {
    guard !text.utf8.contains(0) else { return false }
    return unsafe text.withCString { unsafe validate($0, nil) != 0 }
  }
}

/// The name of a connection: unique (`:1.42`) or well-known (`org.example.Name`).
package struct BusName: ValidatedName {
  package let text: String
  package init?(_ text: String) {
    guard unsafe Self.isValid(text, dbus_validate_bus_name) else { return nil }
    self.text = text
  }
  package var isUnique: Bool { text.utf8.first == UInt8(ascii: ":") }
}

/// The path of an object, such as `/org/example/Object`.
package struct ObjectPath: ValidatedName {
  package let text: String
  package init?(_ text: String) {
    guard unsafe Self.isValid(text, dbus_validate_path) else { return nil }
    self.text = text
  }
}

/// The name of an interface, such as `org.freedesktop.DBus.Peer`.
package struct InterfaceName: ValidatedName {
  package let text: String
  package init?(_ text: String) {
    guard unsafe Self.isValid(text, dbus_validate_interface) else { return nil }
    self.text = text
  }
}

/// The name of a method or signal, such as `Ping`.
package struct MemberName: ValidatedName {
  package let text: String
  package init?(_ text: String) {
    guard unsafe Self.isValid(text, dbus_validate_member) else { return nil }
    self.text = text
  }
}

/// The name of an error, such as `org.freedesktop.DBus.Error.Failed`.
package struct ErrorName: ValidatedName {
  package let text: String
  package init?(_ text: String) {
    guard unsafe Self.isValid(text, dbus_validate_error_name) else { return nil }
    self.text = text
  }
}

/// A list of complete types, such as `sa{sv}`, or the entry of a dictionary, such as `{sv}`.
package struct Signature: ValidatedName {
  package let text: String
  package init?(_ text: String) {
    // An entry is a type only inside an array.
    let complete = text.hasPrefix("{") ? "a" + text : text
    guard unsafe Self.isValid(complete, dbus_signature_validate) else { return nil }
    self.text = text
  }

  /// Takes what libdbus itself said is a signature.
  init(unchecked text: String) { self.text = text }
}
