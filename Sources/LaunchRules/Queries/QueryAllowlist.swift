/// The schemes that an application may query with `canOpenURL` (R3.6, R3.8, R3.14).
package enum QueryAllowlist: Hashable, Sendable {
  /// macOS applications have no allowlist.
  case unrestricted
  /// Linked before iOS 9: no allowlist, but a limited number of distinct schemes.
  case legacyQuota
  /// The effective entries, and the entries beyond the limit.
  case listed(Set<URLScheme>, surplus: Set<URLScheme>)

  package init(_ declaration: ApplicationDeclaration) {
    switch declaration.platform {
    case .macOS: self = .unrestricted
    case .iOS where declaration.linkedSDK < LinkedSDK(9): self = .legacyQuota
    case .iOS:
      let entries = declaration.queriesSchemes
      let limit = Self.limit(for: declaration.linkedSDK) ?? entries.count
      // Invalid entries and duplicates count towards the limit.
      let effective = Set(entries.prefix(limit).compactMap(URLScheme.init))
      let surplus = Set(entries.dropFirst(limit).compactMap(URLScheme.init))
      self = .listed(effective, surplus: surplus.subtracting(effective))
    }
  }

  /// Number of effective entries of `LSApplicationQueriesSchemes` for an iOS application linked with this
  /// SDK, in the order of the property list. Nil for no limit.
  package static func limit(for sdk: LinkedSDK) -> Int? {
    switch sdk.major {
    case ..<15: nil
    case 15..<27: 50
    default: 25
    }
  }
}
