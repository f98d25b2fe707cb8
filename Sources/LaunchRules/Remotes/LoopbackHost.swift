/// A name or an address of a machine for itself, in the local callback of a login.
package enum LoopbackHost: String, Hashable, Sendable, CaseIterable {
  /// All loopback addresses that the machine has for the name: one machine may have no IPv6.
  case localhost
  case ipv4 = "127.0.0.1"
  case ipv6 = "::1"

  /// - Parameter host: of a URL, in lower case; an IPv6 address with or without its brackets.
  package init?(host: String) {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.init(rawValue: isBracketed ? String(host.dropFirst().dropLast()) : host)
    if isBracketed, self != .ipv6 { return nil }
  }

  /// As in URLs and in the options of ssh.
  package var text: String { self == .ipv6 ? "[\(rawValue)]" : rawValue }
}
