/// An application that may handle a scheme, with the reason of its rank.
package struct HandlerCandidate: Hashable, Sendable {
  package let identifier: BundleIdentifier
  package let isSystem: Bool
  /// False only for the user's choice of an application without a claim on the scheme (R2.17).
  package let claimsScheme: Bool
  package let reason: HandlerReason

  init(_ standing: HandlerStanding, reason: HandlerReason) {
    identifier = standing.identifier
    isSystem = standing.isSystem
    claimsScheme = standing.claimsScheme
    self.reason = reason
  }

  /// The same application with another reason.
  init(_ other: HandlerCandidate, reason: HandlerReason) {
    identifier = other.identifier
    isSystem = other.isSystem
    claimsScheme = other.claimsScheme
    self.reason = reason
  }
}

/// The handler of a scheme.
package enum Routing: Hashable, Sendable {
  case handler(HandlerCandidate)
  /// No application claims the scheme: −10814 (T2.6).
  case notFound
  /// These applications have equal claims, and `CollisionPolicy.ambiguousIsError` applies. Sorted by
  /// identifier; contains at most `mostListed` + 1 applications.
  case ambiguous([BundleIdentifier])

  package static let mostListed = 20
}
