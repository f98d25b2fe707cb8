/// The reason why a URL of a system scheme cannot be used.
package struct FormatProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// A sentence without its full stop. May quote the URL, so it is for the caller, not for the log.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// A part of a URL that was dropped or has no effect, with the reason.
package struct FormatNote: Hashable, Sendable, CustomStringConvertible {
  /// The name of the part, such as `from` or `z`.
  package let part: String
  /// A sentence without its full stop.
  package let reason: String

  init(_ part: String, _ reason: String) {
    self.part = part
    self.reason = reason
  }

  package var description: String { "\(part): \(reason)" }
}

/// Collects notes without duplicates, up to a limit.
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
