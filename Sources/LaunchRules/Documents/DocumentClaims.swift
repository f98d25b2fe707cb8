/// The property of a document that an application claims.
package enum DocumentClaim: Hashable, Sendable {
  case type(TypeIdentifier)
  case tag(TypeTag)
}

extension DocumentClaim: CustomStringConvertible {
  package var description: String {
    switch self {
    case .type(let type): type.text
    case .tag(let tag): tag.description
    }
  }
}

/// The rank of an application among those with the same claim.
struct DocumentStanding: Hashable, Sendable {
  /// The criteria that take precedence over the claims, best first.
  enum Tier: Hashable, Sendable, Comparable, CaseIterable {
    case claim
    /// A claim that applies only when no other application has one.
    case fallback
    /// A desktop entry: the property lists go before those.
    case desktopEntry
  }

  let identifier: BundleIdentifier
  let tier: Tier
  let rank: URLTypeDeclaration.Rank
  /// The order according to the collision policy; for a desktop entry, according to the desktop.
  let policyOrder: Int64

  /// Whether only the identifiers determine the order.
  func ties(with other: Self) -> Bool {
    tier == other.tier && rank == other.rank && policyOrder == other.policyOrder
  }
}

extension DocumentStanding: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    if left.tier != right.tier { return left.tier < right.tier }
    if left.rank != right.rank { return left.rank < right.rank }
    if left.policyOrder != right.policyOrder { return left.policyOrder < right.policyOrder }
    return left.identifier < right.identifier
  }
}

/// The claims of applications for documents. Sorted after changes, so that lookups never sort.
struct DocumentClaims: Sendable {
  private var standings: [DocumentClaim: [DocumentStanding]] = [:]
  /// Number of applications that declare folders with an extension as packages.
  private var packages: [String: Int] = [:]

  /// Best first.
  subscript(claim: DocumentClaim) -> [DocumentStanding] { standings[claim] ?? [] }

  func isClaimed(_ claim: DocumentClaim) -> Bool { standings[claim] != nil }

  /// Whether folders with this extension are documents.
  func isPackage(_ fileExtension: String) -> Bool { packages[fileExtension] != nil }

  /// Replaces the application `old` by `new`; each may be nil.
  mutating func update(
    from old: InstalledApplication?, to new: InstalledApplication?, _ policy: CollisionPolicy
  ) {
    for (claim, standing) in Self.claims(of: old, policy) {
      var all = standings.removeValue(forKey: claim) ?? []
      all.removeAll { $0.identifier == standing.identifier }
      if !all.isEmpty { standings[claim] = all }
    }
    for (claim, standing) in Self.claims(of: new, policy) {
      let place = standings[claim].map { Self.place(for: standing, in: $0) } ?? 0
      standings[claim, default: []].insert(standing, at: place)
    }
    for text in old.map(Self.packages) ?? [] {
      packages[text] = packages[text].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    for text in new.map(Self.packages) ?? [] { packages[text, default: 0] += 1 }
  }

  private static func place(
    for standing: DocumentStanding, in standings: [DocumentStanding]
  ) -> Int {
    var places = standings.startIndex...standings.endIndex
    while places.lowerBound < places.upperBound {
      let middle = (places.lowerBound + places.upperBound) / 2
      places =
        standings[middle] < standing
        ? middle + 1...places.upperBound : places.lowerBound...middle
    }
    return places.lowerBound
  }

  /// The claims of an application. Of several document types with the same claim, the best rank counts.
  private static func claims(
    of application: InstalledApplication?, _ policy: CollisionPolicy
  ) -> [DocumentClaim: DocumentStanding] {
    guard let application else { return [:] }
    var claims: [DocumentClaim: DocumentStanding] = [:]
    for type in application.declaration.documents.types where type.opens {
      let standing = DocumentStanding(application, type, policy)
      for claim in type.claims {
        claims[claim] = claims[claim].map { min($0, standing) } ?? standing
      }
    }
    return claims
  }

  private static func packages(of application: InstalledApplication) -> Set<String> {
    let types = application.declaration.documents.types.filter { $0.isPackage && $0.opens }
    return Set(
      types.flatMap(\.tags).compactMap { tag in
        if case .fileExtension(let text) = tag { text } else { nil }
      })
  }
}

extension DocumentStanding {
  fileprivate init(
    _ application: InstalledApplication, _ type: DocumentTypeDeclaration, _ policy: CollisionPolicy
  ) {
    let desktopOrder = type.desktopOrder ?? (application.origin == .desktopEntry ? 0 : nil)
    self.init(
      identifier: application.identifier,
      tier: desktopOrder != nil
        ? .desktopEntry : application.declaration.isFallbackHandler ? .fallback : .claim,
      rank: type.rank,
      policyOrder: desktopOrder.map(Int64.init) ?? policy.order(of: application))
  }
}

extension DocumentTypeDeclaration {
  /// The union of all claims of the document type (R2.16).
  package var claims: [DocumentClaim] {
    contentTypes.isEmpty ? tags.map(DocumentClaim.tag) : contentTypes.map(DocumentClaim.type)
  }
}
