/// Decides which process checks in, and whether its claim is proven.
///
/// The identifier that the caller states proves nothing: the caller needs the token that it was started with,
/// the registered executable, or the well-known bus name of its application. The bus name is accepted only
/// from a caller that `CallerRule` does not identify as another application or as an outsider.
package struct CheckInRule {
  /// The facts about the caller, and what it claims.
  package struct Claim: Hashable, Sendable {
    /// The identity of the caller before the check-in.
    package var caller: Caller
    /// The instance of the unused token that the caller presented; nil without such a token.
    package var tokenOf: InstanceID?
    /// Whether the caller presented a token, valid or not.
    package var showedToken: Bool
    /// Whether the token was issued to a process that the caller does not belong to.
    package var isTokenStolen = false
    /// Whether the claimed application has only a desktop entry.
    package var claimsDesktopEntry = false
    /// The identifier that the caller states.
    package var claimed: BundleIdentifier?
    /// The application with the executable of the caller's process.
    package var byExecutable: BundleIdentifier?
    /// The instance with a process that is the caller or an ancestor of it.
    package var startedAs: InstanceID?
    /// The instance with exactly the caller's process.
    package var isProcessOf: InstanceID?
    /// Whether the caller owns the well-known bus name equal to the stated identifier.
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

  /// Accepts any stated identifier; for tests only.
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
    if claim.claimsDesktopEntry {
      return .refused(
        "\(claimed) is an application of the desktop, for which only processes check in that"
          + " launchservicesd has started")
    }
    guard claim.byExecutable == claimed || claim.ownsClaimedName else {
      return .refused(
        "the caller does not prove that it is \(claimed): it has no token, does not run the registered"
          + " executable and does not own the bus name \(claimed)")
    }
    if let started = claim.startedAs, started.slot.application == claimed {
      // The caller has lost its token, but is the process that was started, or has replaced that process.
      return .expected(started)
    }
    return .cameByItself(claimed)
  }

  /// A description of the caller if it is, or may be, another application; otherwise nil.
  private static func isAnother(_ caller: Caller, than claimed: BundleIdentifier) -> String? {
    switch caller {
    case .unidentified, .application(claimed, _): nil
    case .outsider(let outsider): "\(outsider)"
    case .remote(let name): "the caller is \(name)"
    case .application(let own, let how): "the caller is \(own) (\(how))"
    case .orphan: "the caller descends from an application that was started"
    }
  }
}
