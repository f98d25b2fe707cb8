// Queries of the registry. They need no sorting, which happens after changes.

extension Registry {
  /// The user's choices, including those of applications that are not installed.
  package var bindings: [URLScheme: BundleIdentifier] { userBindings.identifiers }

  /// The copy in use.
  package func application(_ identifier: BundleIdentifier) -> InstalledApplication? {
    ready(identifier)?.application
  }

  /// The records of the copies in use, unsorted.
  package var records: [ApplicationRecord] { Array(inUse.records) }

  package func isInstalled(_ identifier: BundleIdentifier) -> Bool { record(of: identifier) != nil }

  package func application(at propertyList: String) -> InstalledApplication? {
    installed[like: ApplicationRecord(probe: propertyList)]?.application
  }

  /// All copies of an application, best first; the first one is in use (R1.10, R2.20).
  package func copies(of identifier: BundleIdentifier) -> [InstalledApplication] {
    guard let record = record(of: identifier) else { return [] }
    let records = record.identifier.flatMap { copies[$0]?.records } ?? [record]
    return records.compactMap(\.application)
  }

  /// The copies in use, sorted by identifier.
  package var applications: [InstalledApplication] {
    inUse.records.compactMap(\.application).sorted { $0.identifier < $1.identifier }
  }

  /// The identifiers of all applications, unsorted.
  package var identifiers: [BundleIdentifier] { inUse.records.compactMap(\.identifier) }

  /// A diagnostic for each copy that is not in use, sorted by file.
  package var duplicateDiagnostics: [Diagnostic] {
    copies.values.flatMap(\.duplicateDiagnostics).sorted { $0.file < $1.file }
  }

  /// The schemes that the application may query; nil when it is not installed.
  package func allowlist(of identifier: BundleIdentifier) -> QueryAllowlist? {
    ready(identifier)?.allowlist
  }

  /// - Parameter identifier: also the desktop file ID of an application with a property list and a desktop entry.
  func record(of identifier: BundleIdentifier) -> ApplicationRecord? {
    if let record = inUse[like: ApplicationRecord(probe: "", identifier)] { return record }
    guard let listed = DesktopTwinRule.twin(ofEntry: identifier),
      let record = inUse[like: ApplicationRecord(probe: "", listed)], record.hasDesktopEntry
    else { return nil }
    return record
  }

  /// The candidates for a scheme, best first. For a web URL with a host, the system applications for the host
  /// come first (R4.10).
  /// - Parameters:
  ///   - start: number of candidates to skip.
  ///   - most: maximum number of candidates to return. Only these are examined.
  package func candidates(
    for scheme: URLScheme, host: WebHost? = nil, from start: Int = 0, most: Int = .max
  ) -> [HandlerCandidate] {
    let special = specialHostCandidates(scheme, host)
    var found = Array(special.dropFirst(start).prefix(most))
    let records = handlers[scheme] ?? []
    let best = best(of: records, for: scheme)
    let first = min(max(start - special.count, 0), records.count)
    for index in records.indices[first...].prefix(most - found.count) {
      guard let standing = standing(of: records[index], for: scheme) else { continue }
      found.append(candidate(standing, at: index, best: best))
    }
    return found
  }

  /// The number of candidates.
  package func candidateCount(for scheme: URLScheme, host: WebHost? = nil) -> Int {
    specialHostCandidates(scheme, host).count + (handlers[scheme]?.count ?? 0)
  }

  /// The number of candidates up to and including an application; nil when it is not a candidate.
  package func candidateCount(
    for scheme: URLScheme, host: WebHost? = nil, through identifier: BundleIdentifier
  ) -> Int? {
    let special = specialHostCandidates(scheme, host)
    let probe = record(of: identifier) ?? ApplicationRecord(probe: "", identifier)
    let place = handlers[scheme]?.lastIndex { IdentifierKey.areEqual($0, probe) }
    if let place { return special.count + place + 1 }
    return special.lastIndex { $0.identifier == identifier }.map { $0 + 1 }
  }

  /// - Parameter host: used for web URLs only (R2.7).
  package func route(_ scheme: URLScheme, host: WebHost? = nil) -> Routing {
    if let special = specialHostCandidates(scheme, host).first { return .handler(special) }
    guard let handlers = handlers[scheme] else { return .notFound }
    let best = best(of: handlers, for: scheme)
    let winner = candidate(best[0], at: 0, best: best)
    guard winner.reason == .ambiguous else { return .handler(winner) }
    let tied = handlers.prefix(Routing.mostListed + 1).compactMap { standing(of: $0, for: scheme) }
      .prefix { $0.ties(with: best[0]) }
    return .ambiguous(tied.map(\.identifier))
  }

  private func best(
    of handlers: [ApplicationRecord], for scheme: URLScheme
  ) -> [HandlerStanding] {
    handlers.prefix(2).compactMap { standing(of: $0, for: scheme) }
  }

  /// Whether an application handles the scheme.
  /// Whether an open of the scheme finds an application, of which a desktop application may drop URLs.
  package func hasHandler(for scheme: URLScheme) -> Bool {
    guard let first = handlers[scheme]?.first else { return false }
    return !first.isDesktopEntry || first.application?.declaration.dropsURLs == false
  }

  /// Whether a system application claims the scheme, so that no allowlist applies (R3.4).
  package func isClaimedBySystem(_ scheme: URLScheme) -> Bool {
    // At most the user's choice precedes the system applications.
    handlers[scheme]?.prefix(2).contains { $0.isSystem && $0.claims.contains(scheme) } ?? false
  }

  private func specialHostCandidates(
    _ scheme: URLScheme, _ host: WebHost?
  ) -> [HandlerCandidate] {
    guard let host, scheme.isWeb else { return [] }
    return hostHandlers[host].map { HandlerCandidate($0, reason: .specialHost) }
  }

  private func candidate(
    _ standing: HandlerStanding, at index: Int, best: [HandlerStanding]
  ) -> HandlerCandidate {
    HandlerCandidate(
      standing, reason: .reason(of: standing, at: index, best: best, policy: policy))
  }
}
