extension Registry {
  /// The candidates for a scheme, best first, each with the reason of its place on the system of the opener: there another
  /// system application may handle the scheme, or none (R2.10).
  /// - Parameters:
  ///   - opener: nil without a property list.
  ///   - most: maximum number of candidates to examine.
  func explainedCandidates(
    for scheme: URLScheme, host: WebHost?, opener: ApplicationDeclaration?, most: Int
  ) -> [String] {
    let all = candidates(for: scheme, host: host, most: most)
    let visible = visibleCandidates(for: scheme, host: host).prefix(most)
    guard let opener, let first = all.first, first.isSystem,
      let documented = SystemApplication(for: scheme),
      first.identifier == BundleIdentifier(documented.identifier)
    else { return visible.map { line($0, scheme) } }
    let wanted = SystemApplication(for: scheme, opener: opener)
    guard wanted != documented else { return visible.map { line($0, scheme) } }
    guard let wanted else {
      let system = all.filter(\.isSystem).map {
        "\($0.identifier): left out: \(scheme) is for iOS only, and the opener is an application for macOS"
      }
      return system + linesWithoutSystem(scheme, most: most)
    }
    let identifier = BundleIdentifier(wanted.identifier)
    let (time, system) =
      opener.platform == .macOS
      ? ("on macOS", "macOS") : ("before iOS 7", "iOS before 7")
    let handler = identifier.flatMap(application).map {
      "\($0.identifier): handles \(scheme) \(time) in place of \(documented.name)"
    }
    return [
      handler,
      "\(first.identifier): left out: \(wanted.name) handles \(scheme) for an application for \(system)",
    ].compactMap(\.self)
      + all.dropFirst().filter { $0.identifier != identifier }.map { line($0, scheme) }
  }

  /// - Returns: the candidate and its reason; for an application with a property list and a desktop entry, also which of the
  ///   two claims the scheme.
  private func line(_ candidate: HandlerCandidate, _ scheme: URLScheme) -> String {
    let text = "\(candidate.identifier): \(candidate.reason)"
    guard candidate.claimsScheme, let record = record(of: candidate.identifier),
      record.hasDesktopEntry
    else { return text }
    return text + "; " + DesktopTwinRule.claimant(isEntry: isOfDesktop(record, for: scheme))
  }

  /// The candidates without those of the system, with the reasons that then hold.
  private func linesWithoutSystem(_ scheme: URLScheme, most: Int) -> [String] {
    let standings = (handlers[scheme] ?? []).prefix(most).compactMap {
      standing(of: $0, for: scheme)
    }.filter { !$0.isSystem }
    let best = Array(standings.prefix(2))
    return standings.enumerated().map { index, standing in
      let reason = HandlerReason.reason(of: standing, at: index, best: best, policy: policy)
      return "\(standing.identifier): \(reason)"
    }
  }
}
