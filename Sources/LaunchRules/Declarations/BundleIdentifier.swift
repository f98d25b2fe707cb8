/// The identifier of an application, such as `com.example.photos`.
///
/// Comparison ignores case. Only ASCII letters, digits, `-` and `.` are allowed (R1.9).
package struct BundleIdentifier: DottedName {
  /// The unchanged text of the property list.
  package let text: String
  package let key: String

  package static let longest = 255

  /// Nil when `text` is not a bundle identifier.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= Self.longest, bytes.areOfDottedName else {
      return nil
    }
    self.text = text
    key = bytes.contains(where: \.isASCIIUpperCase) ? text.lowercased() : text
  }

  /// Whether the identifier is a valid well-known bus name (D-Bus specification, "Valid Names").
  package var isBusName: Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count > 1 && parts.allSatisfy { $0.first.map { !$0.isASCIIDigit } ?? false }
  }
}

extension UInt8 {
  fileprivate var isASCIIUpperCase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
