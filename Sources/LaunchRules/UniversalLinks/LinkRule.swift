/// What is known of the association file of a domain (R8.21).
package enum SiteApproval: Hashable, Sendable {
  case approved(AssociationFile)
  /// Nothing was fetched yet, or nothing that could be read.
  case unspecified
  /// The site answered 403 or 404 (R8.6).
  case denied
}

/// What the user chose for one application and one domain (R8.21).
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
  /// More than a person makes.
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
  /// Entries with `mode=developer` count (R8.4).
  package var allowsDeveloperMode = false

  package init() {}

  /// R8.4. There is no device management here, so `managed` alone never counts.
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
    /// Nobody, or one that may not have it: the URL goes to the browser (R8.20, R8.23).
    case browser
    /// The opener's own domain (R4.9).
    case ownDomain(BundleIdentifier)
  }

  package struct Decision: Hashable, Sendable {
    package let outcome: Outcome
    /// Each application that declares the host.
    package let considered: [Considered]
  }

  /// - Parameters:
  ///   - caller: the application that opens; nil when it is none.
  ///   - site: what is known of a domain's file.
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
    // The first in the file, as its details are read in order (R8.11).
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
      // After the match, so that it is known whose domain it is.
      return choices[claim.application.identifier, claim.entry.domain] == .browser
        ? .userChoseBrowser : .opens(match)
    }
  }
}

extension LinkRule.Considered {
  /// Application and site name each other (R8.18).
  fileprivate var isAssociated: Bool {
    switch verdict {
    case .opens, .userChoseBrowser: true
    case .stays(let match): match.verdict != .notListed
    case .siteUnspecified, .siteDenied, .noTeam: false
    }
  }

  /// Why it gets the URL or not, without the full stop.
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
      "\(entry): there is no association file of \(domain) yet; lsregister links list tells why"
    case .siteDenied: "\(entry): \(domain) has no association file (R8.6)"
    case .noTeam:
      "\(entry): its team is not known, so no association file can name it; add TeamIdentifier to"
        + " its property list, or application-identifier to its entitlements"
    }
  }
}

extension LinkRule.Decision {
  /// What became of it, without the full stop.
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
