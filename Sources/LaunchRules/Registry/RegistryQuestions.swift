// What the registry answers. Nothing here sorts by place: that was done when something changed.

extension Registry {
  /// What the user chose, also for applications that are not installed.
  package var bindings: [URLScheme: BundleIdentifier] { userBindings.identifiers }

  /// The copy in use.
  package func application(_ identifier: BundleIdentifier) -> InstalledApplication? {
    registrations[identifier]?.inUse
  }

  package func application(at propertyList: String) -> InstalledApplication? {
    guard let identifier = identifiers[propertyList] else { return nil }
    return registrations[identifier]?.copies.first { $0.propertyList == propertyList }
  }

  /// All copies of an application, best first; the first is in use (R1.10, R2.20).
  package func copies(of identifier: BundleIdentifier) -> [InstalledApplication] {
    registrations[identifier]?.copies ?? []
  }

  /// The copies in use, sorted by identifier.
  package var applications: [InstalledApplication] {
    registrations.values.map(\.inUse).sorted { $0.identifier < $1.identifier }
  }

  /// One for every copy that is not in use, sorted by file.
  package var duplicateDiagnostics: [Diagnostic] {
    registrations.values.flatMap(\.duplicateDiagnostics).sorted { $0.file < $1.file }
  }

  /// What the application may ask about; nil when it is not installed.
  package func allowlist(of identifier: BundleIdentifier) -> QueryAllowlist? {
    registrations[identifier]?.allowlist
  }

  /// Those that may get URLs of the scheme, best first. Of a web URL with a host, the system
  /// applications that have the host come first (R4.10).
  package func candidates(
    for scheme: URLScheme, host: WebHost? = nil
  ) -> [HandlerCandidate] {
    let standings = handlers[scheme] ?? []
    return specialHostCandidates(scheme, host)
      + standings.indices.map { candidate(at: $0, in: standings) }
  }

  /// - Parameter host: counts for web URLs only (R2.7).
  package func route(_ scheme: URLScheme, host: WebHost? = nil) -> Routing {
    if let special = specialHostCandidates(scheme, host).first { return .handler(special) }
    guard let standings = handlers[scheme] else { return .notFound }
    let winner = candidate(at: 0, in: standings)
    guard winner.reason == .ambiguous else { return .handler(winner) }
    return .ambiguous(standings.prefix { $0.ties(with: standings[0]) }.map(\.identifier))
  }

  /// Somebody may get URLs of the scheme.
  package func hasHandler(for scheme: URLScheme) -> Bool { handlers[scheme] != nil }

  /// A system application claims the scheme, which lifts every allowlist (R3.4).
  package func isClaimedBySystem(_ scheme: URLScheme) -> Bool {
    // At most the user's choice stands before the system applications.
    handlers[scheme]?.prefix(2).contains { $0.isSystem && $0.claimsScheme } ?? false
  }

  private func specialHostCandidates(
    _ scheme: URLScheme, _ host: WebHost?
  ) -> [HandlerCandidate] {
    guard let host, scheme.isWeb else { return [] }
    return hostHandlers[host].map { HandlerCandidate($0, reason: .specialHost) }
  }

  private func candidate(at index: Int, in standings: [HandlerStanding]) -> HandlerCandidate {
    HandlerCandidate(
      standings[index], reason: .reason(at: index, in: standings, policy: policy))
  }
}
