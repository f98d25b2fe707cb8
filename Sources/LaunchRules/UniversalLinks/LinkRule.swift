/// The known state of the association file of a domain (R8.21).
package enum SiteApproval: Hashable, Sendable {
  case approved(AssociationFile)
  /// No readable file has been fetched.
  case unspecified
  /// The site answered 403 or 404 (R8.6).
  case denied
}

/// The user's choice for an application and a domain (R8.21).
package enum LinkChoice: String, Hashable, Sendable, CaseIterable {
  case application
  case browser
}

/// The user's choices.
package struct LinkChoices: Hashable, Sendable {
  package struct Key: Hashable, Sendable {
    package let application: BundleIdentifier
    package let domain: WebHost

    package init(_ application: BundleIdentifier, _ domain: WebHost) {
      self.application = application
      self.domain = domain
    }
  }

  package private(set) var choices: [Key: LinkChoice] = [:]
  /// Maximum number of choices.
  package static let most = 10_000

  package init() {}

  package subscript(application: BundleIdentifier, domain: WebHost) -> LinkChoice? {
    get { choices[Key(application, domain)] }
    set { choices[Key(application, domain)] = newValue }
  }
}

/// Decides which application gets a web URL as a universal link (R8.18–R8.23).
package struct LinkRule: Sendable {
  package var choices = LinkChoices()
  /// Whether entries with `mode=developer` are used (R8.4).
  package var allowsDeveloperMode = false

  package init() {}

  /// Whether entries with this mode are used (R8.4). Device management is not supported, so entries with only
  /// `managed` are never used.
  package func allows(_ mode: AssociatedDomain.Mode?) -> Bool {
    switch mode {
    case nil: true
    case .developer, .developerManaged: allowsDeveloperMode
    case .managed: false
    }
  }

  package struct Considered: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
      case opens(LinkMatch)
      case stays(LinkMatch)
      case userChoseBrowser
      case siteUnspecified
      case siteDenied
      case noTeam
    }

    package let claim: LinkClaim
    package let verdict: Verdict
  }

  package enum Outcome: Hashable, Sendable {
    case application(InstalledApplication)
    /// No application receives the URL, so it opens in the browser (R8.20, R8.23).
    case browser
    /// The domain belongs to the opener (R4.9).
    case ownDomain(BundleIdentifier)
  }

  package struct Decision: Hashable, Sendable {
    package let outcome: Outcome
    /// The applications that declare the host.
    package let considered: [Considered]
  }

  /// - Parameters:
  ///   - caller: the opening application; nil when the caller is not an application.
  ///   - site: returns the known state of the file of a domain.
  package func decide(
    _ url: LinkURL, caller: BundleIdentifier?, registry: Registry,
    site: (WebHost) -> SiteApproval
  ) -> Decision {
    var budget = AssociationFile.budget
    let considered = registry.linkClaims(of: url.host, allows: allows).map { claim in
      Considered(
        claim: claim, verdict: verdict(on: claim, url, site(claim.entry.domain), &budget))
    }
    if let caller, let own = considered.first(where: { $0.claim.application.identifier == caller }),
      own.isAssociated
    {
      return Decision(outcome: .ownDomain(caller), considered: considered)
    }
    let opening = considered.compactMap { one -> (InstalledApplication, Int)? in
      guard case .opens(let match) = one.verdict else { return nil }
      return (one.claim.application, match.place?.detail ?? 0)
    }
    // The first application in the file is chosen, because details are read in order (R8.11).
    let first = opening.min { ($0.1, $0.0.identifier) < ($1.1, $1.0.identifier) }
    return Decision(
      outcome: first.map { .application($0.0) } ?? .browser, considered: considered)
  }

  private func verdict(
    on claim: LinkClaim, _ url: LinkURL, _ site: SiteApproval, _ budget: inout Int
  ) -> Considered.Verdict {
    guard let identifier = claim.fullIdentifier else { return .noTeam }
    switch site {
    case .unspecified: return .siteUnspecified
    case .denied: return .siteDenied
    case .approved(let file):
      let match = file.match(url, for: identifier, budget: &budget)
      guard match.verdict == .matched else { return .stays(match) }
      // Checked after the match, when the entry in effect is known.
      return choices[claim.application.identifier, claim.entry.domain] == .browser
        ? .userChoseBrowser : .opens(match)
    }
  }
}

extension LinkRule.Considered {
  /// Whether application and site refer to each other (R8.18).
  fileprivate var isAssociated: Bool {
    switch verdict {
    case .opens, .userChoseBrowser: true
    case .stays(let match): match.verdict != .notListed
    case .siteUnspecified, .siteDenied, .noTeam: false
    }
  }

  /// The reason why the application receives the URL or not, without the full stop.
  package var sentence: String {
    let identifier = claim.application.identifier
    let entry = "\(identifier), by applinks:\(claim.entry.text)"
    let domain = claim.entry.domain
    return switch verdict {
    case .opens(let match): "\(entry): \(match.reason)"
    case .stays(let match): "\(entry): \(match.reason)"
    case .userChoseBrowser:
      "\(entry): the user chose the browser; to change it:"
        + " lsregister links choose \(identifier) \(domain) application"
    case .siteUnspecified:
      "\(entry): there is no association file of \(domain) yet; for the reason, run: lsregister links list"
    case .siteDenied: "\(entry): \(domain) has no association file (R8.6)"
    case .noTeam:
      "\(entry): its team is not known, so no association file can name it; add TeamIdentifier to"
        + " its property list, or application-identifier to its entitlements"
    }
  }
}

extension LinkRule.Decision {
  /// The result, without the full stop.
  package var sentence: String {
    switch outcome {
    case .application(let application): "\(application.identifier) gets it as a user activity"
    case .ownDomain(let caller): "the domain is \(caller)'s own, so it goes to the browser (R4.9)"
    case .browser:
      considered.isEmpty
        ? "no application declares the host" : "no application gets it, so it goes to the browser"
    }
  }

  package var steps: [ExplanationStep] {
    considered.map { ExplanationStep("universal link", $0.sentence) }
      + [ExplanationStep("universal link", sentence)]
  }
}
