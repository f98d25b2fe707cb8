internal import AssociationFiles
internal import BusContract
internal import DBus
internal import DaemonSettings
internal import Host
internal import LaunchRules

/// Universal links: the association files of sites, the user's choices, and the rule that reads both.
final class AssociatedDomains {
  private(set) var rule = LinkRule()
  private let choiceFile: StateFile<LinkChoiceState>
  private let files: AssociationStore
  private let fetcher: AssociationFetcher
  /// The associated domains that the registered applications declare.
  private var entries: [AssociatedDomain] = []

  init(
    _ settings: AssociationSettings, _ choiceFile: StateFile<LinkChoiceState>,
    _ files: AssociationStore, _ fetcher: AssociationFetcher, _ journal: Journal
  ) {
    self.choiceFile = choiceFile
    self.files = files
    self.fetcher = fetcher
    rule.choices = choiceFile.read(journal)?.value ?? LinkChoices()
    rule.allowsDeveloperMode = settings.allowsDeveloperLinks
  }

  /// Begins to fetch association files.
  func start(_ registry: Registry) {
    entries = registry.linkEntries.map(\.entry)
    fetcher.start(fetchedDomains)
  }

  func stop() { fetcher.stop() }

  /// The associated domains of registered applications have changed.
  func declarationsChanged(in registry: Registry) {
    entries = registry.linkEntries.map(\.entry)
    fetcher.declare(fetchedDomains)
  }

  /// Fetches the association files of reinstalled applications again (R8.6).
  /// - Parameter domains: the domains that the installed applications declare.
  func installed(_ domains: Set<WebHost>) {
    guard !domains.isEmpty, fetcher.isOn else { return }
    fetcher.refresh(domains.intersection(fetchedDomains).sorted())
  }

  /// The approval of a domain by its association file.
  func site(_ domain: WebHost) -> SiteApproval {
    if files.source(of: domain) != .added, fetcher.entry(of: domain)?.result == .denied {
      return .denied
    }
    return files.file(of: domain).map { .approved($0) } ?? .unspecified
  }

  /// The domains whose association files are fetched.
  private var fetchedDomains: Set<WebHost> {
    Set(
      entries.filter { rule.allows($0.mode) && files.source(of: $0.domain) != .added }
        .map(\.domain))
  }
}

// MARK: - Calls

extension AssociatedDomains {
  func answer(_ request: LinkCall, in registry: Registry) throws(BusError) -> Reply {
    switch request {
    case .list:
      return .inTurns(list(of: registry))
    case .choose(let name, let domain, let text):
      let application = try BundleIdentifier(argument: name, "bundle_id")
      try choose(application, try host(domain), text, in: registry)
      return .values([])
    case .setFile(let domain, let path):
      let host = try host(domain)
      return .later { () async throws(BusError) in try await self.setFile(of: host, path) }
    case .refresh(let names):
      let domains = try refreshable(names)
      return .later {
        await withCheckedContinuation { continuation in
          self.fetcher.refresh(domains) { continuation.resume() }
        }
        return []
      }
    }
  }

  private func list(of registry: Registry) -> Reply.Step {
    var domains = registry.claimedDomains.makeIterator()
    var entries: [Options] = []
    return { [self] in
      for _ in 0..<Self.mostPerStep {
        guard let domain = domains.next() else { return [.optionsList(entries)] }
        entries += registry.linkEntries(of: domain).map(describe)
      }
      return nil
    }
  }

  /// Number of domains described in one turn of the caller.
  private static let mostPerStep = 8

  private func refreshable(_ names: [String]) throws(BusError) -> [WebHost] {
    guard fetcher.isOn else {
      throw RegistrationFailure.notPermitted(
        "the setting FetchAssociations is false, so no site is queried"
      ).busError
    }
    let declared = fetchedDomains
    let domains = try names.map { name throws(BusError) in
      let domain = try host(name)
      guard declared.contains(domain) else {
        throw RegistrationFailure.notRegistered(
          files.source(of: domain) == .added
            ? "a local file was added for \(domain), so its site is not queried"
            : "no application declares applinks:\(domain)"
        ).busError
      }
      return domain
    }
    return domains.isEmpty ? declared.sorted() : domains
  }

  private func host(_ text: String) throws(BusError) -> WebHost {
    guard let host = WebHost(text), host.isFullyQualified else {
      let problem =
        text.utf8.contains { $0 > 0x7f }
        ? NonASCIIHost.problem(text) : "'\(text)' is not a host such as example.com"
      throw .invalidArguments("domain: \(problem)")
    }
    return host
  }

  private func choose(
    _ application: BundleIdentifier, _ domain: WebHost, _ text: String, in registry: Registry
  ) throws(BusError) {
    let choice = LinkChoice(rawValue: text)
    guard choice != nil || text.isEmpty else {
      throw .invalidArguments("choice: '\(text)' is not application, browser or empty")
    }
    guard
      choice == nil
        || registry.application(application)?.declaration.associatedDomains
          .contains(where: { $0.domain == domain }) == true
    else {
      throw RegistrationFailure.notRegistered(
        "no application \(application) that declares applinks:\(domain) is registered"
      ).busError
    }
    var choices = rule.choices
    choices[application, domain] = choice
    guard choices.choices.count <= LinkChoices.most else {
      throw OpenFailure.limitExceeded("\(LinkChoices.most) choices are kept, which is the limit")
        .busError
    }
    do throws(FileError) {
      try choiceFile.write(LinkChoiceState(choices))
    } catch {
      throw .notStored(error)
    }
    rule.choices = choices
  }

  /// Stores the choices of the user again after the file was removed. Association files that the user added are lost.
  func storeAgain() throws(FileError) { try choiceFile.write(LinkChoiceState(rule.choices)) }

  private func setFile(of domain: WebHost, _ path: String) async throws(BusError) -> [Value] {
    let found =
      path.isEmpty ? nil : await Task.detached { AssociationStore.usable(path) }.value
    do throws(AssociationStore.Refusal) {
      if let bytes = try found?.get() {
        try files.add(bytes, domain)
      } else {
        try files.remove(domain)
      }
    } catch {
      throw RegistrationFailure.invalidBundle(error.description).busError
    }
    fetcher.declare(fetchedDomains)
    return []
  }

  private func describe(_ claim: LinkClaim) -> Options {
    let (application, domain) = (claim.application.identifier, claim.entry.domain)
    let source = files.source(of: domain)
    var entry: Options = [
      Key.bundleIdentifier: .string(application.text),
      Key.applicationIdentifier: .string(claim.fullIdentifier?.description ?? ""),
      Key.entry: .string(claim.entry.text), Key.domain: .string(domain.text),
      Key.user: .string(user(application, domain)), Key.site: .string(approval(claim)),
      Key.counts: .boolean(rule.allows(claim.entry.mode)),
      Key.source: .string(source.rawValue),
    ]
    if let path = files.path(of: domain) { entry[Key.file] = .string(path) }
    if source != .added, let tried = fetcher.entry(of: domain) {
      entry[Key.tried] = .uint64(UInt64(clamping: tried.triedAt))
      entry[Key.result] = .string(tried.result.sentence)
    }
    return entry
  }

  private func user(_ application: BundleIdentifier, _ domain: WebHost) -> String {
    switch rule.choices[application, domain] {
    case .application: "approved"
    case .browser: "denied"
    case nil: "unspecified"
    }
  }

  private func approval(_ claim: LinkClaim) -> String {
    switch site(claim.entry.domain) {
    case .approved(let file):
      claim.fullIdentifier.map(file.applications.contains) == true ? "approved" : "denied"
    case .unspecified: "unspecified"
    case .denied: "denied"
    }
  }
}
