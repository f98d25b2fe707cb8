/// The environment variables that a unit accepts.
package enum UnitEnvironment {
  /// systemd rejects a unit if the name of one variable begins with a digit or contains characters other than
  /// visible ASCII.
  package static func allows(_ name: String) -> Bool {
    guard let first = name.utf8.first, !first.isASCIIDigit else { return false }
    return name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
  }
}
