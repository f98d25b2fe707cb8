/// The beginning of a long URL that is sufficient to check the whole URL.
///
/// Foundation takes milliseconds to parse a megabyte. The part after the authority is well-formed if its
/// characters are, so a remainder of plain characters can be skipped.
package enum URLBeginning {
  /// Length of the beginning, in bytes.
  private static let length = 4096

  /// - Returns: a URL that is well-formed if and only if `text` is well-formed, with the same scheme and
  ///   host.
  package static func of(_ text: String) -> String {
    guard text.utf8.count > 2 * length else { return text }
    var beginning = Array(text.utf8.prefix(length))
    guard reachesPath(beginning) else { return text }
    // A percent-encoded byte must not be split.
    while let last = beginning.suffix(2).firstIndex(of: UInt8(ascii: "%")) {
      beginning.removeSubrange(last...)
    }
    guard isPlain(text, after: beginning.count) else { return text }
    return String(decoding: beginning, as: UTF8.self)
  }

  private static func reachesPath(_ bytes: [UInt8]) -> Bool {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let rest = bytes[(colon + 1)...]
    guard rest.starts(with: "//".utf8) else { return true }
    return rest.dropFirst(2).contains { "/?#".utf8.contains($0) }
  }

  /// Whether all bytes after the first `count` are allowed in path, query and fragment.
  private static func isPlain(_ text: String, after count: Int) -> Bool {
    let (bytes, isPlain) = (text.utf8.span, isPlain)
    var place = count
    while place < bytes.count {
      if isPlain[Int(bytes[place])] {
        place += 1
      } else if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
        isDigit(bytes[place + 1]), isDigit(bytes[place + 2])
      {
        place += 3
      } else {
        return false
      }
    }
    return true
  }

  /// RFC 3986: unreserved characters, `sub-delims`, and other characters allowed in path and query.
  private static let isPlain: [Bool] = {
    let plain = Set("-._~!$&'()*+,;=:@/?".utf8)
    return (UInt8.min...UInt8.max).map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: plain.contains(byte)
      }
    }
  }()

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
