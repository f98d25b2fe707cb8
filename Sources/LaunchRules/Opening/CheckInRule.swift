/// Decides which process a check-in is, and whether to believe it.
///
/// A caller's word about itself counts for nothing: it needs the token it was started with, the
/// registered executable, or the well-known name of its application on the bus. The name does not
/// help a process that was started for another application.
package struct CheckInRule {
  /// What is known about the caller and what it asks for.
  package struct Claim: Hashable, Sendable {
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
    /// The application for whose process the caller or one it descends from was started, also when
    /// that process has ended.
    package var startedFor: BundleIdentifier?
    /// The instance whose process the caller itself is.
    package var isProcessOf: InstanceID?
    /// The caller owns the well-known name that equals the claimed identifier.
    package var ownsClaimedName: Bool

    package init(
      tokenOf: InstanceID? = nil, showedToken: Bool = false, claimed: BundleIdentifier? = nil,
      byExecutable: BundleIdentifier? = nil, startedAs: InstanceID? = nil,
      isProcessOf: InstanceID? = nil, ownsClaimedName: Bool = false
    ) {
      self.tokenOf = tokenOf
      self.showedToken = showedToken
      self.claimed = claimed
      self.byExecutable = byExecutable
      self.startedAs = startedAs
      startedFor = startedAs?.seat.application
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
      if let claimed = claim.claimed, claimed != instance.seat.application {
        return .refused("the token was given to \(instance.seat.application), not to \(claimed)")
      }
      return .expected(instance)
    }
    if let own = claim.isProcessOf, claim.claimed ?? own.seat.application == own.seat.application {
      return .expected(own)
    }
    guard let claimed = claim.claimed ?? claim.byExecutable else {
      return .refused(
        "pass the token of LAUNCH_SERVICES_TOKEN, or bundle-identifier from the registered"
          + " executable or the owner of that bus name")
    }
    if claim.byExecutable == claimed, let started = claim.startedAs,
      started.seat.application == claimed
    {
      return .expected(started)  // it has lost its token, but is the process that was started
    }
    if claim.byExecutable == claimed { return .cameByItself(claimed) }
    // Anybody may take a free name; who is known to be another application is still that one.
    if claim.ownsClaimedName, let started = claim.startedFor, started != claimed {
      return .refused(
        "the caller was started for \(started), so owning the bus name \(claimed) does not show that"
          + " it is \(claimed); it must run the registered executable")
    }
    if claim.ownsClaimedName || allowsUnverified { return .cameByItself(claimed) }
    return .refused(
      "nothing shows that the caller is \(claimed): it has no token, does not run the registered"
        + " executable and does not own the bus name \(claimed)")
  }
}
