/// The fields of a record that determine the rank of its application among the handlers of a scheme.
struct HandlingFields {
  let identifier: BundleIdentifier
  let isSystem: Bool
  let isDesktopEntry: Bool
  let isMacOS: Bool
  let isFallback: Bool
  /// The first URL type that claims the scheme (R1.3), with its role and rank.
  var claim: URLTypeDeclaration?
  let installedAt: Int64

  /// The place among the desktop applications; nil where a property list makes the claim.
  fileprivate var desktopOrder: Int? { claim?.desktopOrder ?? (isDesktopEntry ? 0 : nil) }

  var withoutClaim: Self {
    var fields = self
    fields.claim = nil
    return fields
  }
}

/// Reads the fields of records for many schemes during one change of the registry. A record with many schemes
/// is decoded once, not once for each of its schemes.
struct HandlingFieldsReader {
  private struct Decoded {
    let claims: [URLScheme: HandlingFields]
    let noClaim: HandlingFields
  }

  private var decoded: [BundleIdentifier: Decoded] = [:]
  private var applications: [BundleIdentifier: InstalledApplication] = [:]
  /// Number of bytes from which a record is kept decoded. Smaller records are decoded faster than looked up.
  private static let large = 2048

  mutating func fields(of record: ApplicationRecord, for scheme: URLScheme) -> HandlingFields? {
    guard record.bytes.count >= Self.large else { return record.handlingFields(of: scheme) }
    guard let decoded = decoded(record) else { return nil }
    return decoded.claims[scheme] ?? decoded.noClaim
  }

  mutating func application(of record: ApplicationRecord) -> InstalledApplication? {
    guard record.bytes.count >= Self.large, let identifier = record.identifier else {
      return record.application
    }
    if let known = applications[identifier] { return known }
    applications[identifier] = record.application
    return applications[identifier]
  }

  private mutating func decoded(_ record: ApplicationRecord) -> Decoded? {
    guard let identifier = record.identifier else { return nil }
    if let known = decoded[identifier] { return known }
    guard let (claims, noClaim) = record.allHandlingFields() else { return nil }
    let new = Decoded(claims: claims, noClaim: noClaim)
    decoded[identifier] = new
    return new
  }
}

/// The complete sort key of an application among the handlers of a scheme.
///
/// The best standing sorts first. No two applications have equal standings.
struct HandlerStanding: Hashable, Sendable {
  /// The criteria that take precedence over the claims, best first.
  enum Tier: Hashable, Sendable, Comparable {
    /// The user's choice. On macOS it has precedence over a system application (T2.2); an iOS application
    /// needs to be a system application or to have the entitlement (R2.9).
    case chosen
    /// A system application (R2.8).
    case system
    /// The user's choice of an iOS application without the entitlement.
    case chosenAfterSystem
    case claim
    /// A claim that applies only when no other application has one.
    case fallback
    /// A desktop entry: the property lists go before those.
    case desktopEntry
  }

  let identifier: BundleIdentifier
  let tier: Tier
  /// Whether it is the user's choice of an iOS application with the required entitlement (R2.9).
  let isEntitledChoice: Bool
  /// Whether the claim has the role None, or the user's choice does not claim the scheme (R2.17).
  let claimsWithoutRole: Bool
  let rank: URLTypeDeclaration.Rank
  /// The order according to the collision policy; for a desktop entry, according to the desktop.
  let policyOrder: Int64
  let isSystem: Bool
  let claimsScheme: Bool

  /// Nil when the application is not a handler of the scheme: it has no claim, and the user's choice has an
  /// effect without a claim only on macOS (R2.17) or with an entitlement.
  /// - Parameter isEntitled: whether its entitlements allow the choice for the scheme.
  init?(
    of fields: HandlingFields, isChosen: Bool, isEntitled: @autoclosure () -> Bool,
    policy: CollisionPolicy
  ) {
    isEntitledChoice = isChosen && !fields.isMacOS && !fields.isSystem && isEntitled()
    guard fields.claim != nil || isChosen && fields.isMacOS || isEntitledChoice else { return nil }
    identifier = fields.identifier
    let desktopOrder = fields.desktopOrder
    tier =
      switch (isChosen, fields.isSystem) {
      case (true, let isSystem):
        isSystem || fields.isMacOS || isEntitledChoice ? .chosen : .chosenAfterSystem
      case (false, true): .system
      case (false, false):
        desktopOrder != nil ? .desktopEntry : fields.isFallback ? .fallback : .claim
      }
    claimsWithoutRole = fields.claim?.role == URLTypeDeclaration.Role.none
    rank = fields.claim?.rank ?? .default
    // Among desktop entries the desktop decides.
    policyOrder =
      desktopOrder.map(Int64.init)
      ?? policy.order(of: fields.identifier, installedAt: fields.installedAt)
    isSystem = fields.isSystem
    claimsScheme = fields.claim != nil
  }

  /// The standing of a system application for a host.
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

  /// Whether only the identifiers determine the order.
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
