/// A `file:` URL, and the file that it names. File names are bytes: they need not be text.
package struct DocumentURL: Hashable, Sendable {
  /// As given.
  package let text: String
  /// Absolute.
  package let path: [UInt8]

  /// Bytes of a path, as many as Linux takes.
  package static let longestPath = 4095

  /// The text has the scheme `file`.
  package static func isOne(_ text: String) -> Bool {
    // Not the whole text: a caller may send a hundred megabytes.
    let scheme = URLScheme.file.text + ":"
    return String(decoding: text.utf8.prefix(scheme.utf8.count), as: UTF8.self).lowercased()
      == scheme
  }

  /// Of a `file:` URL that is well-formed. What follows `?` or `#` is not part of the path.
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
    guard !path.contains(0) else { throw .invalidURL("the file: URL holds a zero byte") }
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

  /// For people: what is not UTF-8 is replaced.
  package var visiblePath: String { String(decoding: path, as: UTF8.self) }

  /// The last part of the path, for people, too.
  package var name: String {
    String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
  }

  /// The one way to write this file's URL.
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

  /// What RFC 3986 allows in a path: unreserved, sub-delims, `:`, `@`, and the slash.
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
