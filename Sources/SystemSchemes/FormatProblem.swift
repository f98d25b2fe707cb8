/// What is wrong with a URL of a system scheme, so that nobody can act on it.
package struct FormatProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence without its full stop. It may quote the URL: it is for whoever gave it, not for the
  /// log.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// A part of a URL that was dropped or does nothing, and why.
package struct FormatNote: Hashable, Sendable, CustomStringConvertible {
  /// Such as `from` or `z`.
  package let part: String
  /// A sentence without its full stop.
  package let reason: String

  init(_ part: String, _ reason: String) {
    self.part = part
    self.reason = reason
  }

  package var description: String { "\(part): \(reason)" }
}

/// Collects notes: each once, and no more than a person would read.
struct FormatNotes: Sendable {
  private(set) var list: [FormatNote] = []
  static let most = 20

  mutating func add(_ part: String, _ reason: String) {
    let note = FormatNote(part, reason)
    guard list.count <= Self.most, !list.contains(note) else { return }
    list.append(
      list.count == Self.most ? FormatNote("…", "more was dropped, which is not listed") : note)
  }
}
