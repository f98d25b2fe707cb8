/// A URL scheme: a letter, then letters, digits, `+`, `-` and `.` (R2.1), in lower case (R2.2), at most 255
/// characters long.
package struct URLScheme: Hashable, Sendable {
  package let text: String

  /// Maximum length in characters. The standards set no limit; this one bounds stored and displayed text.
  package static let longest = 255

  /// Nil when `text` is not a scheme. Pass the scheme without `:` and `://`.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard bytes.count <= Self.longest, let first = bytes.first, first.isASCIILetter,
      bytes.allSatisfy(Self.allows)
    else {
      return nil
    }
    self.text = text.lowercased()
  }

  /// Creates a scheme from the text of a valid scheme.
  init(known text: String) { self.text = text }

  private static func allows(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: byte.isASCIILetter || byte.isASCIIDigit
    }
  }
}

extension URLScheme: Comparable {
  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

extension URLScheme: CustomStringConvertible {
  package var description: String { text }
}
