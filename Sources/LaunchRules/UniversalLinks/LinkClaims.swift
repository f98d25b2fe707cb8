/// The applications with associated domains, by domain, so that the cost of a lookup does not depend on the
/// number of applications.
struct LinkClaims: Sendable {
  private var claimants: [WebHost: [BundleIdentifier]] = [:]
  /// Grows with every change.
  private(set) var generation: UInt64 = 0

  /// The applications with an entry for exactly this domain, with or without `*.`, sorted by identifier.
  subscript(domain: WebHost) -> [BundleIdentifier] { claimants[domain] ?? [] }

  var domains: some Collection<WebHost> { claimants.keys }

  /// Replaces the application `old` by `new`; each may be nil.
  mutating func update(from old: ApplicationRecord?, to new: ApplicationRecord?) {
    for (record, isNew) in [(old, false), (new, true)] {
      guard let identifier = record?.identifier else { continue }
      for entry in record?.associatedDomains ?? [] {
        generation += 1
        var changed = claimants.removeValue(forKey: entry.domain) ?? []
        changed.removeAll { $0 == identifier }
        if isNew {
          changed.insert(identifier, at: changed.firstIndex { identifier < $0 } ?? changed.endIndex)
        }
        if !changed.isEmpty { claimants[entry.domain] = changed }
      }
    }
  }
}

/// An application that declares a host, with the entry in effect.
package struct LinkClaim: Hashable, Sendable {
  package let application: InstalledApplication
  package let entry: AssociatedDomain

  /// The identifier used in association files; nil when the team is unknown.
  package var fullIdentifier: LinkedApplication? {
    application.declaration.team.map {
      LinkedApplication(prefix: $0, identifier: application.identifier)
    }
  }
}

extension ApplicationDeclaration {
  /// The longest entry that covers the host (R8.2).
  /// - Parameter allows: whether an entry with this mode is used (R8.4).
  package func associatedDomain(
    for host: WebHost, allows: (AssociatedDomain.Mode?) -> Bool
  ) -> AssociatedDomain? {
    associatedDomains.filter { $0.covers(host) && allows($0.mode) }.max { $0.length < $1.length }
  }

  /// Whether the application is a browser. Browsers receive web URLs as browsers; their associated domains
  /// are ignored (R1.44).
  var isLinkedBrowser: Bool { entitlements.contains(.webBrowser) }
}

extension Registry {
  /// The applications that declare the host (R8.2, R8.3), sorted by identifier.
  package func linkClaims(
    of host: WebHost, allows: (AssociatedDomain.Mode?) -> Bool
  ) -> [LinkClaim] {
    let identifiers = Set(([host] + host.parents).flatMap { linkDomains[$0] })
    return identifiers.sorted().compactMap { identifier in
      guard let application = application(identifier), !application.declaration.isLinkedBrowser,
        let entry = application.declaration.associatedDomain(for: host, allows: allows)
      else { return nil }
      return LinkClaim(application: application, entry: entry)
    }
  }

  /// Grows with each change of associated domains.
  package var linkGeneration: UInt64 { linkDomains.generation }

  /// All entries of all applications, sorted by domain.
  package var linkEntries: [LinkClaim] { claimedDomains.flatMap(linkEntries) }

  /// The domains that applications claim, sorted.
  package var claimedDomains: [WebHost] { linkDomains.domains.sorted() }

  /// The entries of applications with this domain.
  package func linkEntries(of domain: WebHost) -> [LinkClaim] {
    linkDomains[domain].compactMap(application).flatMap { application in
      application.declaration.associatedDomains.filter { $0.domain == domain }
        .map { LinkClaim(application: application, entry: $0) }
    }
  }
}
