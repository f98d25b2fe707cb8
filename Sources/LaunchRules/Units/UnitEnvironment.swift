/// The variables that a unit can be given.
package enum UnitEnvironment {
  /// systemd refuses a whole unit for the name of one variable that is not made of visible ASCII
  /// characters or begins with a digit.
  package static func allows(_ name: String) -> Bool {
    guard let first = name.utf8.first, !first.isASCIIDigit else { return false }
    return name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
  }
}
