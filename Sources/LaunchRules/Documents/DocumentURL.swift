/// A `file:` URL and its path. File names are bytes and need not be valid text.
package struct DocumentURL: Hashable, Sendable {
  /// The unchanged text of the URL.
  package let text: String
  /// The absolute path.
  package let path: [UInt8]

  /// Maximum length of a path on Linux, in bytes.
  package static let longestPath = 4095

  /// Whether the scheme of the text is `file`.
  package static func isOne(_ text: String) -> Bool {
    // Only the beginning is compared, because a caller may send a hundred megabytes.
    let scheme = URLScheme.file.text + ":"
    return String(decoding: text.utf8.prefix(scheme.utf8.count), as: UTF8.self).lowercased()
      == scheme
  }

  /// Parses a well-formed `file:` URL. A query or fragment is not part of the path.
  package init(_ text: String) throws(OpenFailure) {
    self.text = text
    guard Self.isOne(text) else { throw .invalidURL("a document is named by a file: URL") }
    var rest = Array(text.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst())[...]
    rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if rest.starts(with: "//".utf8) {
      let host = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
      rest = rest.dropFirst(2 + host.count)
      let name = String(decoding: host, as: UTF8.self)
      guard name.isEmpty || name.lowercased() == "localhost" else {
        throw .invalidURL("the file: URL names another machine; only files of this one are opened")
      }
    }
    path = try Self.decode(rest)
    guard path.first == UInt8(ascii: "/") else {
      throw .invalidURL("the path of a file: URL must be absolute")
    }
    guard path.count <= Self.longestPath else {
      throw .invalidURL("the path of the file: URL has more than \(Self.longestPath) bytes")
    }
    guard !path.contains(0) else { throw .invalidURL("the file: URL contains a zero byte") }
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) throws(OpenFailure) -> [UInt8] {
    var path: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        path.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, digits.utf8.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      else { throw .invalidURL("the file: URL has a % that is not followed by two hex digits") }
      path.append(value)
      rest = rest.dropFirst(2)
    }
    return path
  }

  /// The path for display, with invalid UTF-8 replaced.
  package var visiblePath: String { String(decoding: path, as: UTF8.self) }

  /// The last component of the path, for display.
  package var name: String {
    String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
  }

  /// The canonical URL of the file.
  package var key: String { Self.text(of: path) }

  /// The `file:` URL of an absolute path, percent-encoded byte for byte.
  package static func text(of path: some Sequence<UInt8>) -> String {
    var url = "file://"
    for byte in path {
      if isLiteral(byte) {
        url.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        url += digits.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return url
  }

  /// Whether RFC 3986 allows the byte in a path: unreserved, sub-delims, `:`, `@` and `/`.
  private static func isLiteral(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9": true
    case "-", ".", "_", "~", "!", "$", "&", "'", "(", ")", "*", "+", ",", ";", "=", ":", "@", "/":
      true
    default: false
    }
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
  }
}
