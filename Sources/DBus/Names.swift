internal import CDBus

/// One of the kinds of names that the D-Bus specification defines ("Valid Names").
package protocol NameKind: Sendable {
  static func isValid(_ text: String) -> Bool
}

/// A name on the bus. The text is always valid, so libdbus never aborts because of it.
package struct ValidName<Kind: NameKind>: Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  package let text: String

  /// Nil when `text` is not a valid name of this kind.
  package init?(_ text: String) {
    guard Kind.isValid(text) else { return nil }
    self.text = text
  }

  /// For a text that libdbus itself returned.
  init(unchecked text: String) { self.text = text }

  /// For names that are written in the source.
  package init(stringLiteral value: String) {
    guard let name = Self(value) else {
      preconditionFailure("\(value) is not a valid \(Kind.self)")
    }
    self = name
  }

  package var description: String { text }
}

/// The name of a connection: unique (`:1.42`) or well-known (`org.example.Name`).
package typealias BusName = ValidName<BusNameKind>
/// The path of an object, such as `/org/example/Object`.
package typealias ObjectPath = ValidName<ObjectPathKind>
/// The name of an interface, such as `org.freedesktop.DBus.Peer`.
package typealias InterfaceName = ValidName<InterfaceNameKind>
/// The name of a method or signal, such as `Ping`.
package typealias MemberName = ValidName<MemberNameKind>
/// The name of an error, such as `org.freedesktop.DBus.Error.Failed`.
package typealias ErrorName = ValidName<ErrorNameKind>
/// A list of complete types, such as `sa{sv}`, or the entry of a dictionary, such as `{sv}`.
package typealias Signature = ValidName<SignatureKind>

package enum BusNameKind: NameKind {
  package static func isValid(_ text: String) -> Bool {
    unsafe passes(text, dbus_validate_bus_name)
  }
}

package enum ObjectPathKind: NameKind {
  package static func isValid(_ text: String) -> Bool { unsafe passes(text, dbus_validate_path) }
}

package enum InterfaceNameKind: NameKind {
  package static func isValid(_ text: String) -> Bool {
    unsafe passes(text, dbus_validate_interface)
  }
}

package enum MemberNameKind: NameKind {
  package static func isValid(_ text: String) -> Bool { unsafe passes(text, dbus_validate_member) }
}

package enum ErrorNameKind: NameKind {
  package static func isValid(_ text: String) -> Bool {
    unsafe passes(text, dbus_validate_error_name)
  }
}

package enum SignatureKind: NameKind {
  package static func isValid(_ text: String) -> Bool {
    // An entry is a type only inside an array.
    unsafe passes(text.hasPrefix("{") ? "a" + text : text, dbus_signature_validate)
  }
}

private func passes(
  _ text: String, _ validate: (UnsafePointer<CChar>, UnsafeMutablePointer<DBusError>?) -> UInt32
) -> Bool {
  guard !text.utf8.contains(0) else { return false }
  return unsafe text.withCString { unsafe validate($0, nil) != 0 }
}
