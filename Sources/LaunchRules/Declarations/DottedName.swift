/// A name of ASCII letters, digits, `-` and `.` that is compared without regard to case, such as a bundle
/// identifier or a type identifier.
package protocol DottedName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The unchanged text.
  var text: String { get }
  /// The text in lower case, used for comparison.
  var key: String { get }
}

extension DottedName {
  package static func == (left: Self, right: Self) -> Bool { left.key == right.key }
  package static func < (left: Self, right: Self) -> Bool { left.key < right.key }
  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
  package var description: String { text }
}

extension Sequence<UInt8> {
  /// Whether all bytes are ASCII letters, digits, `-` or `.`, the characters of dotted names and host names.
  var areOfDottedName: Bool {
    allSatisfy {
      $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
  }
}

extension UInt8 {
  package var isASCIILetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
