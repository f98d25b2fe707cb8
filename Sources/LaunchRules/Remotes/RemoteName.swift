/// The name that the user has given to a remote: another machine or a container that opens URLs here, on a socket of
/// its own. The remote itself never states its name.
package struct RemoteName: Hashable, Sendable {
  package let text: String

  /// Maximum length in bytes. The name is a part of the path of a socket, which has at most 107 bytes.
  package static let longest = 40

  /// Nil unless the text is a letter or digit, then letters, digits, `.`, `_` and `-`, as in host names.
  package init?(_ text: String) {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= Self.longest,
      first.isASCIILetter || first.isASCIIDigit,
      bytes.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || ".-_".utf8.contains($0) })
    else { return nil }
    self.text = text
  }

  /// Whether the names have the same letters, some of them in another case, as two spellings of one host name.
  package func differsInCaseOnly(from other: Self) -> Bool {
    text != other.text && text.lowercased() == other.text.lowercased()
  }

  private static let prefix = "remote:"

  /// The name of the caller in history, approvals, log and explanations, such as `remote:laptop`. No bundle identifier
  /// and no path contains it.
  package var callerName: String { Self.prefix + text }

  /// Nil when the text is not the name of a caller that is a remote.
  package init?(callerName: String) {
    guard callerName.hasPrefix(Self.prefix) else { return nil }
    self.init(String(callerName.dropFirst(Self.prefix.count)))
  }
}

extension RemoteName: Comparable {
  package static func < (left: Self, right: Self) -> Bool { left.text < right.text }
}

extension RemoteName: CustomStringConvertible {
  package var description: String { callerName }
}
