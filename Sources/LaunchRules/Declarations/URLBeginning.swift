/// The part of a long URL by which it is judged whether the whole is well-formed.
///
/// Foundation takes milliseconds to judge a megabyte. What follows the authority is well-formed when its characters are,
/// so a rest that has none but the plainest can be left out.
package enum URLBeginning {
  /// In bytes.
  private static let length = 4096

  /// - Returns: a URL that is well-formed exactly when `text` is, with the same scheme and the same host.
  package static func of(_ text: String) -> String {
    guard text.utf8.count > 2 * length else { return text }
    var beginning = Array(text.utf8.prefix(length))
    guard reachesPath(beginning) else { return text }
    // An encoded byte is not cut.
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

  /// Whether all that follows may stand in a path, a query and a fragment.
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

  /// RFC 3986: unreserved characters, `sub-delims`, and what else a path and a query may hold.
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
