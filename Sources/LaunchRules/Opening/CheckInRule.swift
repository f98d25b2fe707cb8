/// Decides which process a check-in is, and whether to believe it.
///
/// A caller's word about itself counts for nothing: it needs the token it was started with, the
/// registered executable, or the well-known name of its application on the bus. The name helps only
/// who is nobody else: `CallerRule` says who the caller is, here as everywhere.
package struct CheckInRule {
  /// What is known about the caller and what it asks for.
  package struct Claim: Hashable, Sendable {
    /// Who it is before it checks in.
    package var caller: Caller
    /// The instance whose unused token the caller showed; nil when it showed none.
    package var tokenOf: InstanceID?
    /// It showed a token, valid or not.
    package var showedToken: Bool
    /// The token was given to a process that the caller does not belong to.
    package var isTokenStolen = false
    /// The identifier it says it has.
    package var claimed: BundleIdentifier?
    /// Applications whose executable the caller's process runs.
    package var byExecutable: BundleIdentifier?
    /// The instance whose process the caller is or descends from.
    package var startedAs: InstanceID?
    /// The instance whose process the caller itself is.
    package var isProcessOf: InstanceID?
    /// The caller owns the well-known name that equals the claimed identifier.
    package var ownsClaimedName: Bool

    package init(
      _ caller: Caller = .unidentified, tokenOf: InstanceID? = nil, showedToken: Bool = false,
      claimed: BundleIdentifier? = nil, byExecutable: BundleIdentifier? = nil,
      startedAs: InstanceID? = nil, isProcessOf: InstanceID? = nil, ownsClaimedName: Bool = false
    ) {
      self.caller = caller
      self.tokenOf = tokenOf
      self.showedToken = showedToken
      self.claimed = claimed
      self.byExecutable = byExecutable
      self.startedAs = startedAs
      self.isProcessOf = isProcessOf
      self.ownsClaimedName = ownsClaimedName
    }
  }

  package enum Decision: Hashable, Sendable {
    case expected(InstanceID)
    case cameByItself(BundleIdentifier)
    case refused(String)
  }

  /// Only for tests: believe any claimed identifier.
  package var allowsUnverified = false

  package init(allowsUnverified: Bool = false) { self.allowsUnverified = allowsUnverified }

  package func decide(_ claim: Claim) -> Decision {
    if claim.isTokenStolen { return .refused("the token was given to another process") }
    if claim.showedToken {
      guard let instance = claim.tokenOf else {
        return .refused("the token is unknown or was used before")
      }
      if let claimed = claim.claimed, claimed != instance.slot.application {
        return .refused("the token was given to \(instance.slot.application), not to \(claimed)")
      }
      return .expected(instance)
    }
    if let own = claim.isProcessOf, claim.claimed ?? own.slot.application == own.slot.application {
      return .expected(own)
    }
    guard let claimed = claim.claimed ?? claim.byExecutable else {
      return .refused(
        "pass the token of LAUNCH_SERVICES_TOKEN, or bundle-identifier from the registered"
          + " executable or the owner of that bus name")
    }
    if allowsUnverified { return .cameByItself(claimed) }
    if let who = Self.isAnother(claim.caller, than: claimed) {
      return .refused("\(who), so it cannot check in as \(claimed)")
    }
    guard claim.byExecutable == claimed || claim.ownsClaimedName else {
      return .refused(
        "nothing shows that the caller is \(claimed): it has no token, does not run the registered"
          + " executable and does not own the bus name \(claimed)")
    }
    if let started = claim.startedAs, started.slot.application == claimed {
      // It has lost its token, but is the process that was started, or one that took its place.
      return .expected(started)
    }
    return .cameByItself(claimed)
  }

  /// Who the caller is when it is, or may be, somebody else; nil when it is not.
  private static func isAnother(_ caller: Caller, than claimed: BundleIdentifier) -> String? {
    switch caller {
    case .unidentified, .application(claimed, _): nil
    case .application(let own, let how): "the caller is \(own) (\(how))"
    case .orphan: "the caller descends from an application that was started"
    }
  }
}
