/// The schemes one application may ask about with canOpenURL (R3.6, R3.8, R3.14).
package enum QueryAllowlist: Hashable, Sendable {
  /// macOS applications have no allowlist.
  case unrestricted
  /// Linked before iOS 9: no list, but only so many distinct schemes.
  case legacyQuota
  /// The entries that count, and what stands behind the last one that counts.
  case listed(Set<URLScheme>, surplus: Set<URLScheme>)

  package init(_ declaration: ApplicationDeclaration) {
    switch declaration.platform {
    case .macOS: self = .unrestricted
    case .iOS where declaration.linkedSDK < LinkedSDK(9): self = .legacyQuota
    case .iOS:
      let entries = declaration.queriesSchemes
      let limit = Self.limit(for: declaration.linkedSDK) ?? entries.count
      // Entries count as written: one that is no scheme, or stands there twice, takes a place.
      let effective = Set(entries.prefix(limit).compactMap(URLScheme.init))
      let surplus = Set(entries.dropFirst(limit).compactMap(URLScheme.init))
      self = .listed(effective, surplus: surplus.subtracting(effective))
    }
  }

  /// How many entries of `LSApplicationQueriesSchemes` count for an iOS application linked with
  /// this SDK, as written and in order. Nil for no limit.
  package static func limit(for sdk: LinkedSDK) -> Int? {
    switch sdk.major {
    case ..<15: nil
    case 15..<27: 50
    default: 25
    }
  }
}
