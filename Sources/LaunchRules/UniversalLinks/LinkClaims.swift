/// The applications that declare associated domains, by domain: looking one up costs the same however many
/// are registered.
struct LinkClaims: Sendable {
  private var claimants: [WebHost: [BundleIdentifier]] = [:]
  /// Grows with every change.
  private(set) var generation: UInt64 = 0

  /// Those with an entry for this very domain, with `*.` or without, in the order of identifiers.
  subscript(domain: WebHost) -> [BundleIdentifier] { claimants[domain] ?? [] }

  var domains: some Collection<WebHost> { claimants.keys }

  /// Takes in that `new` is in use instead of `old`; each nil when there is none.
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

/// An application that declares a host, and the entry that counts.
package struct LinkClaim: Hashable, Sendable {
  package let application: InstalledApplication
  package let entry: AssociatedDomain

  /// As association files name it; nil when its team is not known.
  package var fullIdentifier: LinkedApplication? {
    application.declaration.team.map {
      LinkedApplication(prefix: $0, identifier: application.identifier)
    }
  }
}

extension ApplicationDeclaration {
  /// Of those that cover the host the longest (R8.2).
  /// - Parameter allows: whether an entry with this mode counts (R8.4).
  package func associatedDomain(
    for host: WebHost, allows: (AssociatedDomain.Mode?) -> Bool
  ) -> AssociatedDomain? {
    associatedDomains.filter { $0.covers(host) && allows($0.mode) }.max { $0.length < $1.length }
  }

  /// Browsers get web URLs as browsers; their claims to domains are ignored (R1.44).
  var isLinkedBrowser: Bool { entitlements.contains(.webBrowser) }
}

extension Registry {
  /// Who declares the host (R8.2, R8.3), in the order of identifiers.
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

  /// Grows when somebody declares other domains.
  package var linkGeneration: UInt64 { linkDomains.generation }

  /// Every entry of every application, in the order of domains.
  package var linkEntries: [LinkClaim] {
    linkDomains.domains.sorted().flatMap { domain in
      linkDomains[domain].compactMap(application).flatMap { application in
        application.declaration.associatedDomains.filter { $0.domain == domain }
          .map { LinkClaim(application: application, entry: $0) }
      }
    }
  }
}
