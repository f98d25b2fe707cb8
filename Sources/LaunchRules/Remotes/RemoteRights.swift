/// The schemes that a remote may open: without a question, after a confirmation by the user, or not at all.
package struct RemoteRights: Hashable, Sendable {
  package enum Choice: String, Hashable, Sendable, CaseIterable {
    /// The user is not asked.
    case allow
    /// The user must confirm each open.
    case ask
    /// The open is refused.
    case deny
  }

  /// The choices of the user that differ from those for a new remote.
  package private(set) var changes: [URLScheme: Choice] = [:]

  /// Whether ports of this machine are forwarded to the remote, so that the callback of a login reaches a program there.
  package var forwardsCallbacks = false

  /// Differs from that of every earlier remote of the same name, so that identifiers of requests are separate. Empty for a
  /// remote that an earlier version has made.
  package let generation: String

  /// - Parameter generation: hexadecimal digits.
  package init(generation: String = "") { self.generation = generation }

  /// Maximum number of changes for one remote.
  package static let mostChanges = 256

  /// The schemes that a new remote may open without a question.
  package static let standard: Set<URLScheme> = [
    URLScheme(known: "http"), URLScheme(known: "https"), URLScheme(known: "mailto"),
  ]

  /// The schemes that no remote may open: they name files of this machine, or run a program text that the remote has
  /// written.
  private static let never: Set<String> = [
    "about", "blob", "data", "file", "filesystem", "jar", "javascript", "vbscript", "view-source",
  ]

  package subscript(scheme: URLScheme) -> Choice {
    if Self.never.contains(scheme.text) { return .deny }
    return changes[scheme] ?? (Self.standard.contains(scheme) ? .allow : .ask)
  }

  /// The schemes that the remote may open without a question.
  package var allowed: [URLScheme] { schemes(.allow) }
  /// The schemes that the user has denied the remote.
  package var denied: [URLScheme] { schemes(.deny) }

  private func schemes(_ choice: Choice) -> [URLScheme] {
    Self.standard.union(changes.keys).filter { self[$0] == choice }.sorted()
  }

  /// The reason why the scheme cannot be allowed, a sentence without its full stop; nil when it can.
  package static func objection(toAllowing scheme: URLScheme) -> String? {
    guard never.contains(scheme.text) else { return nil }
    return
      "\(scheme) URLs are never opened for a remote: they name files of the machine where launchservicesd runs, or"
      + " contain a program text"
  }

  /// - Returns: false when the limit of changes is reached.
  package mutating func choose(_ choice: Choice, for scheme: URLScheme) -> Bool {
    let standard: Choice = Self.standard.contains(scheme) ? .allow : .ask
    if choice == standard {
      changes[scheme] = nil
      return true
    }
    guard changes[scheme] != nil || changes.count < Self.mostChanges else { return false }
    changes[scheme] = choice
    return true
  }
}
