/// A document whose handler is to be found.
package struct DocumentSubject: Hashable, Sendable {
  package var kind: DocumentKind
  /// The key for the user's choices; nil for a type without a file.
  package var file: String?

  package init(_ kind: DocumentKind, file: String? = nil) {
    self.kind = kind
    self.file = file
  }
}

/// An application that may open a document, with the reason of its rank.
package struct DocumentCandidate: Hashable, Sendable {
  package let identifier: BundleIdentifier
  package let reason: HandlerReason
  /// Nil for a user's choice of an application without a claim (R2.17).
  package let claim: DocumentClaim?
  /// Whether the claim applies only when no other application has one, not even on the scheme `file`: a fallback
  /// handler or a desktop entry.
  package let isFallback: Bool

  /// A phrase for display.
  package var why: String { claim.map { "\(reason); it claims \($0)" } ?? "\(reason)" }
}

/// The handler of a document.
package enum DocumentRouting: Hashable, Sendable {
  case handler(DocumentCandidate)
  /// No application claims the document: −10814.
  case notFound
  /// These applications have equal claims, and `CollisionPolicy.ambiguousIsError` applies. Sorted by
  /// identifier.
  case ambiguous([BundleIdentifier])
}

extension Registry {
  /// The reason why the user's choice of an installed application for a document, or for its type, would have
  /// no effect; nil when it has an effect.
  package func objection(
    to identifier: BundleIdentifier, for subject: DocumentSubject
  ) -> String? {
    let type = subject.kind.type
    let levels = claims(about: subject, types.levels(of: type))
    return choice(identifier, .userChoice, among: levels) == nil
      ? "\(identifier) claims neither the type \(type) nor one that it conforms to; only a macOS"
        + " application may be chosen without a claim (R2.17)" : nil
  }

  /// The candidates in order: the choice for the file; then for each level, from the type itself to the types
  /// that it conforms to (R1.25), the choice for the type and the claims by rank (R1.18, R2.16); then
  /// fallback handlers; then desktop entries.
  package func documentCandidates(_ subject: DocumentSubject) -> [DocumentCandidate] {
    let places = documentPlaces(subject, atMost: .max)
    return places.indices.map { candidate(at: $0, in: places) }
  }

  package func route(_ subject: DocumentSubject) -> DocumentRouting {
    // The first two candidates decide.
    let places = documentPlaces(subject, atMost: 2)
    guard !places.isEmpty else { return .notFound }
    let winner = candidate(at: 0, in: places)
    guard winner.reason == .ambiguous else { return .handler(winner) }
    let tied = documentPlaces(subject, atMost: .max).filter { $0.ties(with: places[0]) }
    return .ambiguous(tied.map(\.identifier).sorted())
  }

  /// The position of one application.
  private struct Place {
    let identifier: BundleIdentifier
    let claim: DocumentClaim?
    /// The kind of the user's choice, if any.
    var choice: HandlerReason?
    /// Nil for a choice.
    var standing: DocumentStanding?
    var level = 0

    func ties(with other: Self) -> Bool {
      guard let standing, let another = other.standing else { return false }
      return level == other.level && standing.ties(with: another)
    }
  }

  /// The positions, best first, with each application once.
  private func documentPlaces(_ subject: DocumentSubject, atMost limit: Int) -> [Place] {
    let types = types.levels(of: subject.kind.type)
    let levels = claims(about: subject, types)
    var places: [Place] = []
    var seen: Set<BundleIdentifier> = []
    func add(_ place: Place) {
      if places.count < limit, seen.insert(place.identifier).inserted { places.append(place) }
    }
    if let file = subject.file, let chosen = documentChoices.files[file],
      let place = choice(chosen, .chosenForFile, among: levels)
    {
      add(place)
    }
    for tier in DocumentStanding.Tier.allCases {
      for (level, claims) in levels.enumerated() where places.count < limit {
        if tier == .claim {
          for type in types[level] {
            guard let chosen = documentChoices.types[type] else { continue }
            choice(chosen, .userChoice, among: levels).map(add)
          }
        }
        for (standing, claim) in standings(of: claims, tier, atMost: limit) {
          add(
            Place(
              identifier: standing.identifier, claim: claim, standing: standing, level: level))
        }
      }
    }
    return places
  }

  /// The claims that match the document, nearest type first.
  private func claims(
    about subject: DocumentSubject, _ types: [[TypeIdentifier]]
  ) -> [[DocumentClaim]] {
    var levels = types.map { $0.map(DocumentClaim.type) }
    levels[0] += subject.kind.tags.map(DocumentClaim.tag)
    return levels
  }

  /// The choice of the user; nil when it has no effect, because the application is not installed, or is an
  /// iOS application without a claim on the document (R2.17).
  private func choice(
    _ identifier: BundleIdentifier, _ reason: HandlerReason, among levels: [[DocumentClaim]]
  ) -> Place? {
    guard let application = application(identifier) else { return nil }
    let claims = Set(application.declaration.documents.types.filter(\.opens).flatMap(\.claims))
    let claim = levels.joined().first { claims.contains($0) }
    guard claim != nil || application.declaration.platform == .macOS else { return nil }
    return Place(identifier: application.identifier, claim: claim, choice: reason)
  }

  private func standings(
    of claims: [DocumentClaim], _ tier: DocumentStanding.Tier, atMost limit: Int
  ) -> [(DocumentStanding, DocumentClaim)] {
    var all: [(DocumentStanding, DocumentClaim)] = []
    for claim in claims {
      // Some applications may already be in the list, so more than `limit` are returned.
      let enough = limit == .max ? .max : limit + 4
      let standings = documentClaims[claim].lazy.filter { $0.tier == tier }
      all += standings.prefix(enough).map { ($0, claim) }
    }
    return all.sorted { $0.0 < $1.0 }
  }

  private func candidate(at index: Int, in places: [Place]) -> DocumentCandidate {
    DocumentCandidate(
      identifier: places[index].identifier, reason: reason(at: index, in: places),
      claim: places[index].claim,
      isFallback: places[index].standing.map { $0.tier != .claim } ?? false)
  }

  /// The reason of a position. The first is compared with the second, all others with the first.
  private func reason(at index: Int, in places: [Place]) -> HandlerReason {
    let place = places[index]
    if let choice = place.choice { return choice }
    guard let standing = place.standing else { return .userChoice }
    guard index > 0 else {
      guard places.count > 1 else { return .onlyClaim }
      guard let second = places[1].standing else { return .moreSpecific }
      if second.tier != standing.tier {
        return second.tier == .desktopEntry ? .beforeDesktopEntries : .beforeFallback
      }
      if standing.tier == .desktopEntry { return .desktopDefault }
      if places[1].level != place.level { return .moreSpecific }
      if second.rank != standing.rank { return .betterRank }
      return .ofPolicy(policy, ties: standing.ties(with: second))
    }
    guard let first = places[0].standing else { return .behindUserChoice }
    if standing.tier != first.tier {
      return standing.tier == .desktopEntry ? .desktopEntry : .fallback
    }
    if standing.tier == .desktopEntry { return .behindDesktopDefault }
    if place.level != places[0].level { return .lessSpecific }
    if standing.rank != first.rank { return .lowerRank }
    if !standing.ties(with: first) { return .behindByPolicy }
    return policy == .ambiguousIsError ? .ambiguous : .laterIdentifier
  }
}
