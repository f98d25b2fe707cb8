/// What a record says about the place of its application among the handlers of a scheme.
struct HandlingFields {
  let identifier: BundleIdentifier
  let isSystem: Bool
  let isMacOS: Bool
  let isFallback: Bool
  /// Of two URL types that claim the scheme the first one (R1.3), with its role and rank.
  let claim: URLTypeDeclaration?
  let installedAt: Int64
}

/// Everything that decides the place of one application among the handlers of one scheme.
///
/// Standings sort best first, and two applications never stand alike.
struct HandlerStanding: Hashable, Sendable {
  /// What outweighs the claims themselves, best first.
  enum Tier: Hashable, Sendable, Comparable {
    /// The user's choice. On macOS it beats a system application (T2.2); an iOS application only
    /// gets here when it is a system application itself, or has the entitlement (R2.9).
    case chosen
    /// A system application (R2.8).
    case system
    /// The user's choice of an iOS application without the entitlement.
    case chosenAfterSystem
    case claim
    /// A claim that counts when nobody else has one.
    case fallback
  }

  let identifier: BundleIdentifier
  let tier: Tier
  /// The user's choice of an iOS application that an entitlement makes eligible (R2.9).
  let isEntitledChoice: Bool
  /// Its claim has the role None; the user's choice need not claim the scheme at all (R2.17).
  let claimsWithoutRole: Bool
  let rank: URLTypeDeclaration.Rank
  /// Where the collision policy puts it.
  let policyOrder: Int64
  let isSystem: Bool
  let claimsScheme: Bool

  /// Nil when the application is no handler of the scheme: it has no claim, and the user's choice
  /// counts without a claim only on macOS (R2.17) or by an entitlement.
  /// - Parameter isEntitled: Its entitlements make it eligible for the scheme.
  init?(
    of fields: HandlingFields, isChosen: Bool, isEntitled: @autoclosure () -> Bool,
    policy: CollisionPolicy
  ) {
    isEntitledChoice = isChosen && !fields.isMacOS && !fields.isSystem && isEntitled()
    guard fields.claim != nil || isChosen && fields.isMacOS || isEntitledChoice else { return nil }
    identifier = fields.identifier
    tier =
      switch (isChosen, fields.isSystem) {
      case (true, let isSystem):
        isSystem || fields.isMacOS || isEntitledChoice ? .chosen : .chosenAfterSystem
      case (false, true): .system
      case (false, false): fields.isFallback ? .fallback : .claim
      }
    claimsWithoutRole = fields.claim?.role == URLTypeDeclaration.Role.none
    rank = fields.claim?.rank ?? .default
    policyOrder = policy.order(of: fields.identifier, installedAt: fields.installedAt)
    isSystem = fields.isSystem
    claimsScheme = fields.claim != nil
  }

  /// Of a system application that has a host.
  init(host application: InstalledApplication, _ policy: CollisionPolicy) {
    identifier = application.identifier
    tier = .system
    isEntitledChoice = false
    claimsWithoutRole = false
    rank = .default
    policyOrder = policy.order(of: application)
    isSystem = true
    claimsScheme = true
  }
}

extension HandlerStanding: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    if left.tier != right.tier { return left.tier < right.tier }
    if left.claimsWithoutRole != right.claimsWithoutRole { return right.claimsWithoutRole }
    if left.rank != right.rank { return left.rank < right.rank }
    if left.policyOrder != right.policyOrder { return left.policyOrder < right.policyOrder }
    return left.identifier < right.identifier
  }

  /// Only their identifiers tell them apart.
  func ties(with other: Self) -> Bool {
    tier == other.tier && claimsWithoutRole == other.claimsWithoutRole && rank == other.rank
      && policyOrder == other.policyOrder
  }
}

extension URLTypeDeclaration.Rank: Comparable {
  package static func < (left: Self, right: Self) -> Bool { left.place < right.place }

  private var place: Int {
    switch self {
    case .owner: 0
    case .default: 1
    case .alternate: 2
    case .none: 3
    }
  }
}
