internal import InternationalHosts

/// Percent-encodes characters that are not allowed in a URL, like macOS's `open` and `URL(string:)` of SDK 17
/// (R2.5). Allowed characters and percent-encodings are unchanged, so a valid URL stays the same.
enum URLEncoding {
  /// The parts of a URL, which differ in their allowed characters (RFC 3986).
  private enum Part {
    case authority, path, query, fragment
  }

  /// - Parameter text: a text that begins with a scheme and `:`.
  /// - Throws: when the host is not ASCII, and has no form in ASCII.
  /// - Returns: nil when nothing needs encoding, when the host of a web URL does, because an encoded host would be a
  ///   different name, and when the port does, because no port would be valid.
  static func encoded(_ text: String) throws(InternationalHost.NotConvertible) -> String? {
    let given = Array(text.utf8)
    let bytes = try withHostInASCII(given)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    var place = colon + 1
    var part = Part.path
    if bytes[place...].starts(with: "//".utf8) {
      part = .authority
      place += 2
    }
    let (host, port) = host(in: bytes, from: place)
    var encoded = Array(bytes[..<place])
    var hasChanged = bytes != given
    while place < bytes.count {
      let byte = bytes[place]
      if let next = nextPart(part, after: byte) {
        part = next
        encoded.append(byte)
      } else if isAllowed(byte, in: part) || isEscape(bytes, at: place) {
        encoded.append(byte)
      } else {
        if part == .authority, place >= host, isWeb(bytes[..<colon]) || place >= port { return nil }
        encoded += escape(byte)
        hasChanged = true
      }
      place += 1
    }
    return hasChanged ? String(decoding: encoded, as: UTF8.self) : nil
  }

  /// The places of the host and of the port in a URL whose authority begins at `place`.
  private static func host(in bytes: [UInt8], from place: Int) -> (start: Int, end: Int) {
    let end = bytes[place...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
    // The name of a user goes before the host.
    let host = bytes[place..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? place
    return (host, bytes[host..<end].firstIndex(of: UInt8(ascii: ":")) ?? end)
  }

  /// The URL with its host in ASCII, unless the hosts of its scheme are percent-encoded.
  private static func withHostInASCII(
    _ bytes: [UInt8]
  ) throws(InternationalHost.NotConvertible) -> [UInt8] {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return bytes }
    let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
    let (start, end) = host(in: bytes, from: colon + 3)
    guard bytes[start..<end].contains(where: { $0 > 0x7F }),
      !InternationalHost.percentEncodingSchemes.contains(scheme)
    else { return bytes }
    let ascii = try InternationalHost.ascii(String(decoding: bytes[start..<end], as: UTF8.self))
    return Array(bytes[..<start]) + Array(ascii.utf8) + Array(bytes[end...])
  }

  /// The part that a delimiter begins; nil for other characters.
  private static func nextPart(_ part: Part, after byte: UInt8) -> Part? {
    switch (part, byte) {
    case (.authority, UInt8(ascii: "/")): .path
    case (.authority, UInt8(ascii: "?")), (.path, UInt8(ascii: "?")): .query
    case (.authority, UInt8(ascii: "#")), (.path, UInt8(ascii: "#")), (.query, UInt8(ascii: "#")):
      .fragment
    default: nil
    }
  }

  private static func isAllowed(_ byte: UInt8, in part: Part) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      return true
    default: break
    }
    let others =
      switch part {
      case .authority: "[]"
      case .path: "/"
      case .query, .fragment: "/?"
      }
    return "-._~!$&'()*+,;=:@".utf8.contains(byte) || others.utf8.contains(byte)
  }

  /// Whether a `%` followed by two hexadecimal digits is at the index.
  private static func isEscape(_ bytes: [UInt8], at place: Int) -> Bool {
    func isDigit(_ index: Int) -> Bool {
      index < bytes.count && Character(Unicode.Scalar(bytes[index])).isHexDigit
    }
    return bytes[place] == UInt8(ascii: "%") && isDigit(place + 1) && isDigit(place + 2)
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  private static func isWeb(_ scheme: ArraySlice<UInt8>) -> Bool {
    ["http", "https"].contains(String(decoding: scheme, as: UTF8.self).lowercased())
  }
}
