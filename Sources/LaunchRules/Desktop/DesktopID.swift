/// The desktop file IDs that identify applications without a property list, such as `firefox-esr.desktop`.
package enum DesktopID {
  private static let suffix = ".desktop"

  /// Whether the text may be a desktop file ID. Beyond the characters of bundle identifiers, such an ID may
  /// contain any character of a file name, except control characters.
  static func isOne(_ text: String) -> Bool {
    let bytes = text.utf8
    return bytes.count > suffix.utf8.count && text.hasSuffix(suffix)
      && bytes.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != 0x7f && $0 != UInt8(ascii: "/") }
  }
}
