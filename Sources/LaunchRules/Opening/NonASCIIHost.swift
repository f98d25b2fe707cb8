/// The host of a web URL that is not ASCII, which the host of a URL must be.
package enum NonASCIIHost {
  /// Nil for a host in ASCII, and for other URLs than web URLs.
  package static func of(_ url: String) -> String? { place(in: url).map { String(url[$0]) } }

  /// The place of such a host.
  package static func place(in url: String) -> Range<String.Index>? {
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      URLScheme(String(decoding: bytes[..<colon], as: UTF8.self))?.isWeb == true,
      bytes[colon...].starts(with: "://".utf8)
    else { return nil }
    let authority = bytes[colon...].dropFirst(3).prefix { !"/?#".utf8.contains($0) }
    let start = authority.lastIndex(of: UInt8(ascii: "@")).map(authority.index(after:))
    let host = authority[(start ?? authority.startIndex)...].prefix { $0 != UInt8(ascii: ":") }
    guard host.contains(where: { $0 > 0x7f }) else { return nil }
    return host.startIndex..<host.endIndex
  }

  /// What is wrong with the host, and what to do.
  package static func problem(_ host: String) -> String {
    "the host \(host) is not ASCII; \(advice)"
  }

  package static let advice = "write its Punycode form, which begins with xn--"
}
