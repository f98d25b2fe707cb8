/// A document that is looked for an application for.
package struct DocumentSubject: Hashable, Sendable {
  package var kind: DocumentKind
  /// By which the user's choices know it; nil for a type alone.
  package var file: String?

  package init(_ kind: DocumentKind, file: String? = nil) {
    self.kind = kind
    self.file = file
  }
}

/// An application that may get a document, and why it stands where it does.
package struct DocumentCandidate: Hashable, Sendable {
  package let identifier: BundleIdentifier
  package let reason: HandlerReason
  /// Nil for the user's choice of an application that claims nothing about it (R2.17).
  package let claim: DocumentClaim?
  package let isFallback: Bool

  /// A phrase for people.
  package var why: String { claim.map { "\(reason); it claims \($0)" } ?? "\(reason)" }
}

/// Who gets a document.
package enum DocumentRouting: Hashable, Sendable {
  case handler(DocumentCandidate)
  /// Nobody claims it: −10814.
  case notFound
  /// These claim it alike, and `CollisionPolicy.ambiguousIsError` holds. Sorted by identifier.
  case ambiguous([BundleIdentifier])
}

extension Registry {
  /// Why the user's choice of an installed application for a document, or for its type, would have no
  /// effect; nil when it counts.
  package func objection(
    to identifier: BundleIdentifier, for subject: DocumentSubject
  ) -> String? {
    let type = subject.kind.type
    let levels = claims(about: subject, types.levels(of: type))
    return choice(identifier, .userChoice, among: levels) == nil
      ? "\(identifier) claims neither the type \(type) nor one that it conforms to; only a macOS"
        + " application may be chosen without a claim (R2.17)" : nil
  }

  /// The choice for the file, then at each level, from the type itself to what it conforms to (R1.25), the
  /// choice for the type and the claims by rank (R1.18, R2.16); fallback handlers after all of them.
  package func documentCandidates(_ subject: DocumentSubject) -> [DocumentCandidate] {
    let places = documentPlaces(subject, atMost: .max)
    return places.indices.map { candidate(at: $0, in: places) }
  }

  package func route(_ subject: DocumentSubject) -> DocumentRouting {
    // The first and the next one are all that decide.
    let places = documentPlaces(subject, atMost: 2)
    guard !places.isEmpty else { return .notFound }
    let winner = candidate(at: 0, in: places)
    guard winner.reason == .ambiguous else { return .handler(winner) }
    let tied = documentPlaces(subject, atMost: .max).filter { $0.ties(with: places[0]) }
    return .ambiguous(tied.map(\.identifier).sorted())
  }

  /// One application's place.
  private struct Place {
    let identifier: BundleIdentifier
    let claim: DocumentClaim?
    /// Why the user's choice puts it there.
    var choice: HandlerReason?
    /// Nil for a choice.
    var standing: DocumentStanding?
    var level = 0

    func ties(with other: Self) -> Bool {
      guard let standing, let another = other.standing else { return false }
      return level == other.level && standing.ties(with: another)
    }
  }

  /// Best first, each application once.
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
    for isFallback in [false, true] {
      for (level, claims) in levels.enumerated() where places.count < limit {
        if !isFallback {
          for type in types[level] {
            guard let chosen = documentChoices.types[type] else { continue }
            choice(chosen, .userChoice, among: levels).map(add)
          }
        }
        for (standing, claim) in standings(of: claims, isFallback: isFallback, atMost: limit) {
          add(
            Place(
              identifier: standing.identifier, claim: claim, standing: standing, level: level))
        }
      }
    }
    return places
  }

  /// What an application may claim about the document, nearest first.
  private func claims(
    about subject: DocumentSubject, _ types: [[TypeIdentifier]]
  ) -> [[DocumentClaim]] {
    var levels = types.map { $0.map(DocumentClaim.type) }
    levels[0] += subject.kind.tags.map(DocumentClaim.tag)
    return levels
  }

  /// Nil when it does not count: the application is not installed, or it is one of iOS that claims nothing
  /// about the document (R2.17).
  private func choice(
    _ identifier: BundleIdentifier, _ reason: HandlerReason, among levels: [[DocumentClaim]]
  ) -> Place? {
    guard let application = application(identifier) else { return nil }
    let claims = Set(application.declaration.documents.types.filter(\.opens).flatMap(\.claims))
    let claim = levels.joined().first { claims.contains($0) }
    guard claim != nil || application.declaration.platform == .macOS else { return nil }
    return Place(identifier: identifier, claim: claim, choice: reason)
  }

  private func standings(
    of claims: [DocumentClaim], isFallback: Bool, atMost limit: Int
  ) -> [(DocumentStanding, DocumentClaim)] {
    var all: [(DocumentStanding, DocumentClaim)] = []
    for claim in claims {
      // As many may have been met before.
      let enough = limit == .max ? .max : limit + 4
      let standings = documentClaims[claim].lazy.filter { $0.isFallback == isFallback }
      all += standings.prefix(enough).map { ($0, claim) }
    }
    return all.sorted { $0.0 < $1.0 }
  }

  private func candidate(at index: Int, in places: [Place]) -> DocumentCandidate {
    DocumentCandidate(
      identifier: places[index].identifier, reason: reason(at: index, in: places),
      claim: places[index].claim, isFallback: places[index].standing?.isFallback ?? false)
  }

  /// The first is compared with the second, every other one with the first.
  private func reason(at index: Int, in places: [Place]) -> HandlerReason {
    let place = places[index]
    if let choice = place.choice { return choice }
    guard let standing = place.standing else { return .userChoice }
    guard index > 0 else {
      guard places.count > 1 else { return .onlyClaim }
      guard let second = places[1].standing else { return .moreSpecific }
      if second.isFallback != standing.isFallback { return .beforeFallback }
      if places[1].level != place.level { return .moreSpecific }
      if second.rank != standing.rank { return .betterRank }
      return .ofPolicy(policy, ties: standing.ties(with: second))
    }
    guard let first = places[0].standing else { return .behindUserChoice }
    if standing.isFallback != first.isFallback { return .fallback }
    if place.level != places[0].level { return .lessSpecific }
    if standing.rank != first.rank { return .lowerRank }
    if !standing.ties(with: first) { return .behindByPolicy }
    return policy == .ambiguousIsError ? .ambiguous : .laterIdentifier
  }
}
