/// The identifier of an application, such as `com.example.photos`.
///
/// Comparison ignores case. Only ASCII letters, digits, `-` and `.` are allowed (R1.9).
package struct BundleIdentifier: DottedName {
  /// The unchanged text of the property list.
  package let text: String
  package let key: String

  package static let longest = 255

  /// Nil when `text` names no application: it is neither a bundle identifier nor a desktop ID.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard !bytes.isEmpty, bytes.count <= Self.longest,
      bytes.areOfDottedName || DesktopID.isOne(text)
    else { return nil }
    self.text = text
    // Lowercases only ASCII letters, like the keys of records.
    key =
      bytes.contains(where: \.isASCIIUpperCase)
      ? String(decoding: bytes.map { $0.isASCIIUpperCase ? $0 | 0x20 : $0 }, as: UTF8.self) : text
  }

  /// The identifier that somebody has declared, for example in a property list. Nil for a desktop ID that is no
  /// bundle identifier (R1.9).
  package static func declared(_ text: String) -> Self? {
    text.utf8.areOfDottedName ? Self(text) : nil
  }

  /// Whether the identifier is a valid well-known bus name (D-Bus specification, "Valid Names").
  package var isBusName: Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.areOfDottedName && parts.count > 1
      && parts.allSatisfy { $0.first.map { !$0.isASCIIDigit } ?? false }
  }
}

extension UInt8 {
  var isASCIIUpperCase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}
