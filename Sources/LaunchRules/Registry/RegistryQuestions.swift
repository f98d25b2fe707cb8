// What the registry answers. Nothing here sorts by place: that was done when something changed.

extension Registry {
  /// What the user chose, also for applications that are not installed.
  package var bindings: [URLScheme: BundleIdentifier] { userBindings.identifiers }

  /// The copy in use.
  package func application(_ identifier: BundleIdentifier) -> InstalledApplication? {
    ready(identifier)?.application
  }

  /// Of the copies in use, in no order.
  package var records: [ApplicationRecord] { Array(inUse.records) }

  package func isInstalled(_ identifier: BundleIdentifier) -> Bool { record(of: identifier) != nil }

  package func application(at propertyList: String) -> InstalledApplication? {
    installed[like: ApplicationRecord(probe: propertyList)]?.application
  }

  /// All copies of an application, best first; the first is in use (R1.10, R2.20).
  package func copies(of identifier: BundleIdentifier) -> [InstalledApplication] {
    let records = copies[identifier]?.records ?? [record(of: identifier)].compactMap(\.self)
    return records.compactMap(\.application)
  }

  /// The copies in use, sorted by identifier.
  package var applications: [InstalledApplication] {
    inUse.records.compactMap(\.application).sorted { $0.identifier < $1.identifier }
  }

  /// Of all applications, in no order.
  package var identifiers: [BundleIdentifier] { inUse.records.compactMap(\.identifier) }

  /// One for every copy that is not in use, sorted by file.
  package var duplicateDiagnostics: [Diagnostic] {
    copies.values.flatMap(\.duplicateDiagnostics).sorted { $0.file < $1.file }
  }

  /// What the application may ask about; nil when it is not installed.
  package func allowlist(of identifier: BundleIdentifier) -> QueryAllowlist? {
    ready(identifier)?.allowlist
  }

  func record(of identifier: BundleIdentifier) -> ApplicationRecord? {
    inUse[like: ApplicationRecord(probe: "", identifier)]
  }

  /// Those that may get URLs of the scheme, best first. Of a web URL with a host, the system
  /// applications that have the host come first (R4.10).
  package func candidates(
    for scheme: URLScheme, host: WebHost? = nil
  ) -> [HandlerCandidate] {
    let standings = (handlers[scheme] ?? []).compactMap { standing(of: $0, for: scheme) }
    return specialHostCandidates(scheme, host)
      + standings.indices.map { candidate(at: $0, in: standings) }
  }

  /// - Parameter host: counts for web URLs only (R2.7).
  package func route(_ scheme: URLScheme, host: WebHost? = nil) -> Routing {
    if let special = specialHostCandidates(scheme, host).first { return .handler(special) }
    guard let handlers = handlers[scheme] else { return .notFound }
    // The user's choice, the best system application and the next one are all that decide.
    let standings = handlers.prefix(3).compactMap { standing(of: $0, for: scheme) }
    let winner = candidate(at: 0, in: standings)
    guard winner.reason == .ambiguous else { return .handler(winner) }
    let tied = handlers.lazy.compactMap { standing(of: $0, for: scheme) }
      .prefix { $0.ties(with: standings[0]) }
    return .ambiguous(tied.map(\.identifier))
  }

  /// Somebody may get URLs of the scheme.
  package func hasHandler(for scheme: URLScheme) -> Bool { handlers[scheme] != nil }

  /// A system application claims the scheme, which lifts every allowlist (R3.4).
  package func isClaimedBySystem(_ scheme: URLScheme) -> Bool {
    // At most the user's choice stands before the system applications.
    handlers[scheme]?.prefix(2).contains { $0.isSystem && $0.claims.contains(scheme) } ?? false
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
