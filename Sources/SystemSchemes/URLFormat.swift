internal import LaunchRules

/// The format of the URLs of one system application. A value is a valid URL of the format.
package protocol URLFormat: Hashable, Sendable {
  /// In lower case.
  static var schemes: [String] { get }
  /// The hosts of the application, for web URLs (R2.12); empty for other schemes.
  static var hosts: [String] { get }
  static var readsPlusAsSpace: Bool { get }

  /// Throws when the URL violates the format. The caller has checked its scheme and host.
  init(_ parts: URLParts) throws(FormatProblem)

  /// The parts that were dropped, with the reasons.
  var notes: [FormatNote] { get }
  /// The action of the application, without a full stop.
  var sentence: String { get }
  /// The URL without the dropped parts; nil for formats whose URLs are always passed on unchanged.
  var written: String? { get }
  /// The callee, or the number of a message, with the scheme in front, for the question to the user; nil for a URL
  /// without one.
  var called: String? { get }
}

extension URLFormat {
  package static var hosts: [String] { [] }
  package static var readsPlusAsSpace: Bool { false }
  package var written: String? { nil }
  package var called: String? { nil }

  /// Throws when the URL is not a valid URL of the format.
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
