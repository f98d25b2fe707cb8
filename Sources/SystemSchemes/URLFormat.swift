internal import LaunchRules

/// The format of the URLs of one system application: a value of it is a URL that keeps the rules.
package protocol URLFormat: Hashable, Sendable {
  /// In lower case.
  static var schemes: [String] { get }
  /// For web URLs the hosts that the application has (R2.12); empty for other schemes.
  static var hosts: [String] { get }
  static var readsPlusAsSpace: Bool { get }

  /// The URL is one of this format's.
  init(_ parts: URLParts) throws(FormatProblem)

  /// What was dropped, and why.
  var notes: [FormatNote] { get }
  /// What the application would do, without the full stop.
  var sentence: String { get }
  /// The URL without what was dropped; nil for formats whose URLs are always handed on as given.
  var written: String? { get }
  /// Whom the URL calls, with the scheme in front, for the question to the user; nil when it calls nobody.
  var called: String? { get }
}

extension URLFormat {
  package static var hosts: [String] { [] }
  package static var readsPlusAsSpace: Bool { false }
  package var written: String? { nil }
  package var called: String? { nil }

  /// Throws what is wrong.
  package init(_ text: String) throws(FormatProblem) {
    let parts = try URLParts(text, readsPlusAsSpace: Self.readsPlusAsSpace)
    guard Self.schemes.contains(parts.scheme) else {
      throw FormatProblem("its scheme is not \(Self.schemes.joined(separator: " or "))")
    }
    guard Self.covers(parts) else {
      throw FormatProblem("its host is not \(Self.hosts.joined(separator: " or "))")
    }
    try self.init(parts)
  }

  static func covers(_ parts: URLParts) -> Bool {
    guard schemes.contains(parts.scheme) else { return false }
    return hosts.isEmpty || hosts.contains { $0 == parts.host?.text }
  }
}
