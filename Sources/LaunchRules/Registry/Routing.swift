/// An application that may get the URLs of a scheme, and why it stands where it does.
package struct HandlerCandidate: Hashable, Sendable {
  package let identifier: BundleIdentifier
  package let isSystem: Bool
  /// False only for the user's choice of an application that does not claim the scheme (R2.17).
  package let claimsScheme: Bool
  package let reason: HandlerReason

  init(_ standing: HandlerStanding, reason: HandlerReason) {
    identifier = standing.identifier
    isSystem = standing.isSystem
    claimsScheme = standing.claimsScheme
    self.reason = reason
  }
}

/// Who gets the URLs of a scheme.
package enum Routing: Hashable, Sendable {
  case handler(HandlerCandidate)
  /// Nobody claims it: −10814 (T2.6).
  case notFound
  /// These claim it alike, and `CollisionPolicy.ambiguousIsError` holds. Sorted by identifier; of
  /// more than `mostListed` only one more.
  case ambiguous([BundleIdentifier])

  package static let mostListed = 20
}
