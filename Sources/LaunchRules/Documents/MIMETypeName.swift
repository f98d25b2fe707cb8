/// Tells MIME types from relative paths, which look alike.
package enum MIMETypeName {
  /// The media types that IANA has registered, and those of shared-mime-info.
  private static let mediaTypes: Set<String> = [
    "application", "audio", "chemical", "font", "image", "inode", "message", "model", "multipart",
    "text", "video", "x-content", "x-epoc", "x-scheme-handler",
  ]

  /// The MIME type in lower case; nil for a text that is none.
  package static func name(_ text: String) -> String? {
    let parts = text.lowercased().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, mediaTypes.contains(String(parts[0])), !parts[1].isEmpty,
      text.utf8.count <= 255, parts[1].utf8.allSatisfy(isOfToken)
    else { return nil }
    return parts.joined(separator: "/")
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$&-^_.+".utf8.contains(byte)
    }
  }
}
