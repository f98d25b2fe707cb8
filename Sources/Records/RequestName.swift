package import LaunchRules

/// The key of a request in the record: the identifier that its client chose, and the scope of the identifier.
///
/// The scope is not the name of the caller, which may change while a process lives: when its parent ends, or when its
/// program is registered.
package struct RequestName: Hashable, Sendable {
  package let id: String
  /// Empty for all programs of the user; otherwise the sandboxed application, whose identifiers are separate.
  package let scope: String

  package init(_ id: String, scope: String = "") {
    self.id = id
    self.scope = scope
  }

  /// - Parameter confined: the caller, when it is a sandboxed application: it must not find or block requests of
  ///   others by guessing identifiers. Its scope is its own, unless the identifier cannot be guessed.
  package init(_ id: String, confined: String?) {
    self.init(id, scope: Self.isChance(id) ? "" : confined ?? "")
  }

  /// A request of a remote: its scope is its own also if the identifier cannot be guessed, so that one remote cannot use
  /// an identifier that it has learned from another, nor from an earlier remote of the same name.
  /// - Parameter generation: of the remote; see `RemoteRights`.
  package init(_ id: String, of remote: RemoteName, generation: String = "") {
    self.init(
      id, scope: generation.isEmpty ? remote.callerName : "\(remote.callerName) \(generation)")
  }

  /// The beginning of the scopes of remotes.
  private static let scopeOfRemotes = "remote:"

  /// Other scopes in which the same request may have been made.
  struct OtherScopes {
    /// The beginning of all scopes that have it, or of none.
    let prefix: String
    let havePrefix: Bool
    /// Who has made the request there.
    let caller: String

    func contains(_ scope: String) -> Bool { scope.hasPrefix(prefix) == havePrefix }
  }

  /// Nil when the request was made in this scope or never.
  var otherScopes: OtherScopes? {
    if scope.hasPrefix(Self.scopeOfRemotes) {
      // The user may have removed the remote and added it again while its opener waited. A new remote must not learn of
      // earlier requests by guessing.
      guard Self.isChance(id), let name = scope.split(separator: " ").first else { return nil }
      return OtherScopes(
        prefix: "\(name) ", havePrefix: true, caller: "an earlier remote of the same name")
    }
    // The caller may have had another identity before its parent ended, or before its program was registered.
    guard !Self.isChance(id) else { return nil }
    return OtherScopes(
      prefix: Self.scopeOfRemotes, havePrefix: false, caller: "a caller with another identity")
  }

  /// The identifier has 128 bits in 32 hexadecimal digits, with or without hyphens, such as a UUID.
  package static func isChance(_ id: String) -> Bool {
    var digits = 0
    for byte in id.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        digits += 1
        if digits == 32 { return true }
      case UInt8(ascii: "-"): break
      default: digits = 0
      }
    }
    return false
  }

  /// The prefix of the names of all parts of a call of this name.
  var partPrefix: RequestName { RequestName(id + "#", scope: scope) }

  package func isPart(of call: RequestName) -> Bool {
    scope == call.scope && id.hasPrefix(call.partPrefix.id)
  }

  /// Stands for all parts of a call of this name. No identifier of a client has this character.
  var ofAnyParts: RequestName { RequestName("\u{1}" + id, scope: scope) }

  /// The name that stands for all parts of the call, when this may be the name of one part.
  var ofParts: RequestName? {
    guard let mark = id.lastIndex(of: "#") else { return nil }
    return RequestName(String(id[..<mark]), scope: scope).ofAnyParts
  }

  /// A 64-bit hash of scope and identifier.
  var fingerprint: UInt64 {
    var hash = FNV1a()
    hash.add(scope)
    hash.add(id)
    return hash.value
  }
}
