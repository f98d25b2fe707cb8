/// What the user has answered for good, or settled beforehand.
package struct Approvals: Hashable, Sendable {
  /// Who opens what with whom.
  package struct Key: Hashable, Sendable {
    package var opener: Opener
    package var scheme: URLScheme
    package var handler: BundleIdentifier

    package init(opener: Opener, scheme: URLScheme, handler: BundleIdentifier) {
      self.opener = opener
      self.scheme = scheme
      self.handler = handler
    }
  }

  package enum Opener: Hashable, Sendable {
    case application(BundleIdentifier)
    /// A page in a browser that is no registered application.
    case web
    /// No registered application: a shell, a script.
    case unidentified
    /// In the store only: whoever has no entry of its own.
    case anybody
  }

  package private(set) var entries: [Key: Bool]

  /// - Parameter entries: of too many some are left out, refusals last.
  package init(_ entries: [Key: Bool] = [:]) {
    guard entries.count > Self.most else {
      self.entries = entries
      return
    }
    let refusals = entries.filter { !$0.value }
    let kept = (refusals.map(\.self) + entries.filter(\.value)).prefix(Self.most)
    self.entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }

  /// How many are kept. One call may read or change all of them, and other callers wait for it.
  package static let most = 1_000

  /// The answer that counts: the opener's own, else that for anybody; nil when there is none.
  package subscript(_ key: Key) -> Bool? {
    if entries.isEmpty { return nil }
    var general = key
    general.opener = .anybody
    return entries[key] ?? entries[general]
  }

  /// - Returns: false when there are too many.
  package mutating func set(_ key: Key, _ isAllowed: Bool) -> Bool {
    guard entries[key] != nil || entries.count < Self.most else { return false }
    entries[key] = isAllowed
    return true
  }

  /// Forgets those that match; nil matches all. Returns how many there were.
  package mutating func reset(
    opener: Opener? = nil, scheme: URLScheme? = nil, handler: BundleIdentifier? = nil
  ) -> Int {
    let kept = entries.filter { key, _ in
      !((opener ?? key.opener) == key.opener && (scheme ?? key.scheme) == key.scheme
        && (handler ?? key.handler) == key.handler)
    }
    defer { entries = kept }
    return entries.count - kept.count
  }
}

extension Approvals.Opener: CustomStringConvertible {
  /// What has no identifier begins with a character that identifiers do not have.
  private static let names: [(String, Self)] = [
    ("@web", .web), ("@unidentified", .unidentified), ("*", .anybody),
  ]

  /// Nil when the text is neither a bundle identifier nor `@web`, `@unidentified` or `*`.
  package init?(_ text: String) {
    if let named = Self.names.first(where: { $0.0 == text }) {
      self = named.1
    } else if let identifier = BundleIdentifier(text) {
      self = .application(identifier)
    } else {
      return nil
    }
  }

  package var description: String {
    if case .application(let identifier) = self { return identifier.text }
    return Self.names.first { $0.1 == self }?.0 ?? ""
  }
}
