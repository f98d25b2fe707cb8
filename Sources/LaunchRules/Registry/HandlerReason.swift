/// The reason of a handler's rank among the handlers of a scheme, in order of preference.
///
/// The first handler is compared with the second, all others with the first.
package enum HandlerReason: Hashable, Sendable, Comparable, CaseIterable {
  case specialHost
  case chosenForFile
  case userChoice
  case entitledUserChoice
  case system
  case userChoiceAfterSystem

  case onlyClaim
  case beforeFallback
  case beforeDesktopEntries
  case desktopDefault
  case moreSpecific
  case ambiguous
  case hasRole
  case betterRank
  case installedLast
  case installedFirst
  case drawn
  case firstIdentifier

  case behindSystem
  case behindUserChoice
  case laterIdentifier
  case behindByPolicy
  case lessSpecific
  case lowerRank
  case roleNone
  case fallback
  case behindDesktopDefault
  case desktopEntry
}

extension HandlerReason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .specialHost: "a system application that handles this host"
    case .chosenForFile: "the user's choice for this file"
    case .userChoice: "the user's choice"
    case .entitledUserChoice:
      "the user's choice; the entitlement of the application permits the choice"
    case .system: "a system application; the scheme is reserved for it"
    case .userChoiceAfterSystem:
      "the user's choice, without effect: the scheme is reserved, and the application lacks the"
        + " entitlement"
    case .onlyClaim: "the only claim"
    case .beforeFallback: "all other claims belong to fallback handlers"
    case .beforeDesktopEntries: "all other claims belong to desktop entries"
    case .desktopDefault: "the default of the desktop"
    case .moreSpecific: "the other claims are for more general types"
    case .ambiguous:
      "several applications have an equal claim, and the setting CollisionPolicy"
        + " requires a choice"
    case .hasRole: "the other claims have the role None"
    case .betterRank: "the best LSHandlerRank"
    case .installedLast:
      "installed most recently (CollisionPolicy last-installed); 'lsregister default' sets another choice"
    case .installedFirst:
      "installed first (CollisionPolicy first-installed); 'lsregister default' sets another choice"
    case .drawn: "chosen by the settings CollisionPolicy and CollisionSeed"
    case .firstIdentifier: "first in the order of identifiers, because the claims are equal"
    case .behindSystem: "the scheme is reserved for a system application"
    case .behindUserChoice: "the user chose another application"
    case .laterIdentifier: "later in the order of identifiers, because the claims are equal"
    case .behindByPolicy: "an equal claim; the setting CollisionPolicy prefers another"
    case .lessSpecific: "another claim is for a more specific type"
    case .lowerRank: "another claim has a better LSHandlerRank"
    case .roleNone: "the claim has the role None, which ranks last"
    case .fallback: "a fallback handler, which ranks after all other handlers"
    case .behindDesktopDefault: "the desktop prefers another application"
    case .desktopEntry: "a desktop entry, which ranks after all property lists"
    }
  }
}

extension HandlerReason {
  /// The reason of the rank of a standing.
  /// - Parameters:
  ///   - index: its index, 0 for the best.
  ///   - best: the best two standings, or all if there are fewer. The reason depends on these only.
  static func reason(
    of standing: HandlerStanding, at index: Int, best: [HandlerStanding], policy: CollisionPolicy
  ) -> HandlerReason {
    switch standing.tier {
    case .chosen:
      let overrules = standing.isEntitledChoice && best.contains(where: \.isSystem)
      return overrules ? .entitledUserChoice : .userChoice
    case .system: return .system
    case .chosenAfterSystem: return index == 0 ? .userChoice : .userChoiceAfterSystem
    case .claim, .fallback, .desktopEntry: break
    }
    if index > 0 { return reason(standing, isBehind: best[0], policy) }
    guard best.count > 1 else { return .onlyClaim }
    return reason(standing, isAheadOf: best[1], policy)
  }

  private static func reason(
    _ first: HandlerStanding, isAheadOf second: HandlerStanding, _ policy: CollisionPolicy
  ) -> HandlerReason {
    if first.tier != second.tier {
      return second.tier == .desktopEntry ? .beforeDesktopEntries : .beforeFallback
    }
    if first.tier == .desktopEntry { return .desktopDefault }
    if second.claimsWithoutRole && !first.claimsWithoutRole { return .hasRole }
    if first.rank != second.rank { return .betterRank }
    return ofPolicy(policy, ties: first.ties(with: second))
  }

  /// The reason why the policy prefers one claim.
  static func ofPolicy(_ policy: CollisionPolicy, ties: Bool) -> HandlerReason {
    if ties { return policy == .ambiguousIsError ? .ambiguous : .firstIdentifier }
    return switch policy {
    case .lastInstalled: .installedLast
    case .firstInstalled: .installedFirst
    case .ambiguousIsError: .ambiguous
    case .seededRandom: .drawn
    }
  }

  private static func reason(
    _ standing: HandlerStanding, isBehind first: HandlerStanding, _ policy: CollisionPolicy
  ) -> HandlerReason {
    switch first.tier {
    case .chosen, .chosenAfterSystem: return .behindUserChoice
    case .system: return .behindSystem
    case .claim, .fallback, .desktopEntry: break
    }
    if standing.tier != first.tier {
      return standing.tier == .desktopEntry ? .desktopEntry : .fallback
    }
    if standing.tier == .desktopEntry { return .behindDesktopDefault }
    if standing.claimsWithoutRole && !first.claimsWithoutRole { return .roleNone }
    if standing.rank != first.rank { return .lowerRank }
    if !standing.ties(with: first) { return .behindByPolicy }
    return policy == .ambiguousIsError ? .ambiguous : .laterIdentifier
  }
}
