/// The host of a web URL, such as `maps.apple.com`, in lower case and without a final dot.
package struct WebHost: Hashable, Sendable {
  package let text: String

  package static let longest = 253

  /// Nil when `text` is not a host name of ASCII letters, digits, `-` and `.`.
  package init?(_ text: String) {
    let name = text.hasSuffix(".") ? text.dropLast() : text[...]
    guard !name.isEmpty, name.utf8.count <= Self.longest, name.utf8.areOfDottedName,
      name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
    else { return nil }
    self.text = name.lowercased()
  }
}

extension WebHost: Comparable {
  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

extension WebHost: CustomStringConvertible {
  package var description: String { text }
}

extension URLScheme {
  /// Whether the scheme is `http` or `https`; only their URLs may be routed by host (R2.7).
  package var isWeb: Bool { text == "http" || text == "https" }
}
