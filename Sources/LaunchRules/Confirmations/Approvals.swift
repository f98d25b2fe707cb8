/// The remembered answers of the user, given in a confirmation or set in advance.
package struct Approvals: Hashable, Sendable {
  /// The opener, scheme and handler of an answer.
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
    /// A page in a browser that is not a registered application.
    case web
    /// A caller that is not a registered application, such as a shell or a script.
    case unidentified
    case remote(RemoteName)
    /// All openers without their own entry. Used in the store only.
    case anybody
  }

  package private(set) var entries: [Key: Bool]

  /// - Parameter entries: entries beyond the limit are dropped, permissions before refusals.
  package init(_ entries: [Key: Bool] = [:]) {
    guard entries.count > Self.most else {
      self.entries = entries
      return
    }
    let refusals = entries.filter { !$0.value }
    let kept = (refusals.map(\.self) + entries.filter(\.value)).prefix(Self.most)
    self.entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }

  /// Maximum number of answers. One call may read or change all of them while other callers wait.
  package static let most = 1_000

  /// The effective answer: that for the opener, otherwise that for all openers; nil without an answer.
  package subscript(_ key: Key) -> Bool? {
    if entries.isEmpty { return nil }
    var general = key
    general.opener = .anybody
    return entries[key] ?? entries[general]
  }

  /// - Returns: false when the limit is reached.
  package mutating func set(_ key: Key, _ isAllowed: Bool) -> Bool {
    guard entries[key] != nil || entries.count < Self.most else { return false }
    entries[key] = isAllowed
    return true
  }

  /// Removes the matching answers; nil matches all. Returns the number of removed answers.
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
  /// Names of openers without identifier. They begin with a character that identifiers do not contain.
  private static let names: [(String, Self)] = [
    ("@web", .web), ("@unidentified", .unidentified), ("*", .anybody),
  ]

  /// Nil when the text is neither a bundle identifier nor `remote:NAME`, `@web`, `@unidentified` or `*`.
  package init?(_ text: String) {
    if let named = Self.names.first(where: { $0.0 == text }) {
      self = named.1
    } else if let remote = RemoteName(callerName: text) {
      self = .remote(remote)
    } else if let identifier = BundleIdentifier(text) {
      self = .application(identifier)
    } else {
      return nil
    }
  }

  /// The opener in a sentence for the user.
  package var inWords: String {
    switch self {
    case .web: "a web page"
    case .unidentified, .anybody: "a program"
    case .application, .remote: description
    }
  }

  /// The origins of the opens that the opener stands for.
  var origins: [ConfirmationTable.Origin] {
    switch self {
    case .web: [.web]
    case .application, .unidentified: [.application]
    case .remote: [.remote]
    case .anybody: [.web, .application]
    }
  }

  package var description: String {
    if case .application(let identifier) = self { return identifier.text }
    if case .remote(let name) = self { return name.callerName }
    return Self.names.first { $0.1 == self }?.0 ?? ""
  }
}
