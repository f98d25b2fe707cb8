/// Decides whether the host of a web URL is not recognised as this machine or a machine of the local network, as browsers
/// read the host (WHATWG URL).
///
/// Only the name is known here: a name of the Internet may still resolve to a private address.
package enum PublicHost {
  /// Names of routers for themselves and their networks below a domain of the Internet.
  private static let routers: [[Substring]] = [["fritz", "box"]]

  /// - Parameter host: with percent-encoded bytes decoded; nil when the URL has no host that a parser of RFC 3986 finds,
  ///   although a browser may find one.
  package static func isCertain(_ host: String?) -> Bool {
    guard var host = host?.lowercased()[...], !host.isEmpty,
      // Browsers convert other characters, such as wide digits, before they read the host.
      host.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) })
    else { return false }
    if host.hasSuffix(".") { host.removeLast() }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, let last = labels.last, !labels.contains("") else {
      return isPublicAddress(labels)
    }
    if number(last) != nil || last.utf8.allSatisfy(\.isASCIIDigit) {
      return isPublicAddress(labels)
    }
    if routers.contains(where: { labels.suffix($0.count).elementsEqual($0) }) { return false }
    return TopLevelDomains.contains(last)
  }

  /// Whether the text between `//` and the path has only characters of RFC 3986. A browser finds another host than a parser of
  /// RFC 3986 in a text with others, such as `http://127.0.0.1\@example.com/`.
  /// - Parameter url: a URL, unchanged.
  package static func hasPlainAuthority(_ url: String) -> Bool {
    let rest = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
    guard rest.starts(with: "//".utf8) else { return false }
    return rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }.allSatisfy {
      $0.isASCIILetter || $0.isASCIIDigit || "-._~%!$&'()*+,;=:@[]".utf8.contains($0)
    }
  }

  /// One to four numbers; the last one stands for all bytes that are left. False for a text that is no address.
  private static func isPublicAddress(_ labels: [Substring]) -> Bool {
    let numbers = labels.compactMap(number)
    guard (1...4).contains(labels.count), numbers.count == labels.count, let last = numbers.last
    else { return false }
    let leading = numbers.dropLast()
    let rest = 8 * UInt64(5 - numbers.count)
    guard leading.allSatisfy({ $0 < 256 }), last < 1 << rest else { return false }
    let address = leading.enumerated().reduce(last) {
      $0 + $1.element << UInt64(24 - 8 * $1.offset)
    }
    return !reserved.contains { address >> (32 - $0.bits) == $0.prefix }
  }

  /// Octal, decimal or hexadecimal, as browsers read the parts of an address; nil for another text.
  private static func number(_ text: Substring) -> UInt64? {
    if text.hasPrefix("0x") { return text.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16) }
    guard text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return text.count > 1 && text.hasPrefix("0") ? UInt64(text, radix: 8) : UInt64(text)
  }

  /// The beginnings of addresses that are not on the Internet (RFC 6890), and of multicast and reserved addresses.
  private static let reserved: [(prefix: UInt64, bits: UInt64)] = [
    (0, 8), (10, 8), (100 << 2 | 1, 10), (127, 8), (169 << 8 | 254, 16), (172 << 4 | 1, 12),
    (192 << 16, 24), (192 << 16 | 2, 24), (192 << 8 | 168, 16), (198 << 7 | 9, 15),
    (198 << 16 | 51 << 8 | 100, 24), (203 << 16 | 113, 24), (0b111, 3),
  ]
}
