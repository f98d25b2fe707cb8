/// What a document is claimed by.
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

/// Where an application stands among those with one claim.
struct DocumentStanding: Hashable, Sendable {
  let identifier: BundleIdentifier
  /// Counts when nobody else has a claim.
  let isFallback: Bool
  let rank: URLTypeDeclaration.Rank
  /// Where the collision policy puts it.
  let policyOrder: Int64

  /// Only their identifiers tell them apart.
  func ties(with other: Self) -> Bool {
    isFallback == other.isFallback && rank == other.rank && policyOrder == other.policyOrder
  }
}

extension DocumentStanding: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    if left.isFallback != right.isFallback { return right.isFallback }
    if left.rank != right.rank { return left.rank < right.rank }
    if left.policyOrder != right.policyOrder { return left.policyOrder < right.policyOrder }
    return left.identifier < right.identifier
  }
}

/// Who opens which documents. Sorted when something changes, so that asking never sorts.
struct DocumentClaims: Sendable {
  private var standings: [DocumentClaim: [DocumentStanding]] = [:]
  /// How many applications make packages of folders with an extension.
  private var packages: [String: Int] = [:]

  /// Best first.
  subscript(claim: DocumentClaim) -> [DocumentStanding] { standings[claim] ?? [] }

  func isClaimed(_ claim: DocumentClaim) -> Bool { standings[claim] != nil }

  /// Folders with this extension are documents.
  func isPackage(_ fileExtension: String) -> Bool { packages[fileExtension] != nil }

  /// Takes in that `new` is in use instead of `old`; each nil when there is none.
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

  /// Of several document types with one claim the best rank counts.
  private static func claims(
    of application: InstalledApplication?, _ policy: CollisionPolicy
  ) -> [DocumentClaim: DocumentStanding] {
    guard let application else { return [:] }
    var claims: [DocumentClaim: DocumentStanding] = [:]
    for type in application.declaration.documents.types where type.opens {
      let standing = DocumentStanding(
        identifier: application.identifier,
        isFallback: application.declaration.isFallbackHandler, rank: type.rank,
        policyOrder: policy.order(of: application))
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

extension DocumentTypeDeclaration {
  /// The union of all that it names (R2.16).
  package var claims: [DocumentClaim] {
    contentTypes.isEmpty ? tags.map(DocumentClaim.tag) : contentTypes.map(DocumentClaim.type)
  }
}
