/// The name of an application, such as `com.example.photos`.
///
/// Compared without regard to case; only ASCII letters, digits, `-` and `.` are allowed (R1.9).
package struct BundleIdentifier: Hashable, Sendable {
  /// As written in the property list.
  package let text: String
  /// What is compared.
  private let folded: String

  package static let longest = 255

  /// Nil when `text` is not a bundle identifier.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= Self.longest, bytes.allSatisfy(Self.allows) else {
      return nil
    }
    self.text = text
    folded = bytes.contains(where: \.isASCIIUpperCase) ? text.lowercased() : text
  }

  private static func allows(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: ".")
  }

  /// It may be a well-known name on the bus (D-Bus specification, "Valid Names").
  package var isBusName: Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count > 1 && parts.allSatisfy { $0.first.map { !$0.isASCIIDigit } ?? false }
  }

  package static func == (left: Self, right: Self) -> Bool { left.folded == right.folded }
  package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension BundleIdentifier: Comparable {
  package static func < (left: Self, right: Self) -> Bool { left.folded < right.folded }
}

extension BundleIdentifier: CustomStringConvertible {
  package var description: String { text }
}

extension UInt8 {
  fileprivate var isASCIIUpperCase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
  package var isASCIILetter: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
