internal import AssociationFiles
internal import BusContract
internal import DBus
internal import Host
internal import LaunchRules

// Which application gets a web URL as a universal link, and what the user asks about that.

extension Daemon {
  /// What is known of the association file of a domain.
  func site(_ domain: WebHost) -> SiteApproval {
    if associations.source(of: domain) != .added,
      associationFetcher.entry(of: domain)?.result == .denied
    {
      return .denied
    }
    return associations.file(of: domain).map { .approved($0) } ?? .unspecified
  }

  /// The domains whose sites are asked.
  var fetchedDomains: Set<WebHost> {
    Set(
      registry.linkEntries.filter {
        linkRule.allows($0.entry.mode) && associations.source(of: $0.entry.domain) != .added
      }.map(\.entry.domain))
  }

  /// Installing again asks the sites again (R8.6).
  /// - Parameter domains: those that applications declare which were installed.
  func refreshLinks(of domains: Set<WebHost>) {
    guard !domains.isEmpty, associationFetcher.isOn else { return }
    associationFetcher.refresh(domains.intersection(fetchedDomains).sorted())
  }

  // MARK: Calls

  func links(_ request: LinkCall, _ call: PendingCall) throws(BusError) {
    switch request {
    case .list:
      call.succeed([.optionsList(registry.linkEntries.map(describe))])
    case .choose(let name, let domain, let text):
      try chooseLink(try identifier(name, "bundle_id"), try host(domain), text)
      call.succeed()
    case .setFile(let domain, let path):
      setFile(of: try host(domain), path, call)
    case .refresh(let names):
      guard associationFetcher.isOn else {
        throw RegistrationFailure.notPermitted(
          "the setting FetchAssociations is false, so that no site is asked"
        ).busError
      }
      let declared = fetchedDomains
      let domains = try names.map { name throws(BusError) in
        let domain = try host(name)
        guard declared.contains(domain) else {
          throw RegistrationFailure.notRegistered(
            associations.source(of: domain) == .added
              ? "a file was added for \(domain), so that its site is not asked"
              : "no application declares applinks:\(domain)"
          ).busError
        }
        return domain
      }
      associationFetcher.refresh(domains.isEmpty ? declared.sorted() : domains) { call.succeed() }
    }
  }

  private func host(_ text: String) throws(BusError) -> WebHost {
    guard let host = WebHost(text), host.isFullyQualified else {
      throw .invalidArguments("domain: '\(text)' is not a host such as example.com")
    }
    return host
  }

  private func chooseLink(
    _ application: BundleIdentifier, _ domain: WebHost, _ text: String
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
    var choices = linkRule.choices
    choices[application, domain] = choice
    guard choices.choices.count <= LinkChoices.most else {
      throw OpenFailure.limitExceeded("\(LinkChoices.most) choices are kept, which is the limit")
        .busError
    }
    do throws(FileError) {
      try linkChoiceFile.write(LinkChoiceState(choices))
    } catch {
      throw .failed("the change could not be stored: \(error)")
    }
    linkRule.choices = choices
  }

  private func setFile(of domain: WebHost, _ path: String, _ call: PendingCall) {
    answerLater(call) { [self] in
      let found =
        path.isEmpty ? nil : await Task.detached { AssociationStore.usable(path) }.value
      do throws(AssociationStore.Refusal) {
        if let bytes = try found?.get() {
          try associations.add(bytes, domain)
        } else {
          try associations.remove(domain)
        }
      } catch {
        return .failure(RegistrationFailure.invalidBundle(error.description).busError)
      }
      associationFetcher.declare(fetchedDomains)
      return .success([])
    }
  }

  private func describe(_ claim: LinkClaim) -> Options {
    let (application, domain) = (claim.application.identifier, claim.entry.domain)
    let source = associations.source(of: domain)
    var entry: Options = [
      Key.bundleIdentifier: .string(application.text),
      Key.applicationIdentifier: .string(claim.fullIdentifier?.description ?? ""),
      Key.entry: .string(claim.entry.text), Key.domain: .string(domain.text),
      Key.user: .string(user(application, domain)), Key.site: .string(approval(claim)),
      Key.counts: .boolean(linkRule.allows(claim.entry.mode)),
      Key.source: .string(source.rawValue),
    ]
    if let path = associations.path(of: domain) { entry[Key.file] = .string(path) }
    if source != .added, let tried = associationFetcher.entry(of: domain) {
      entry[Key.tried] = .uint64(UInt64(clamping: tried.triedAt))
      entry[Key.result] = .string(tried.result.sentence)
    }
    return entry
  }

  private func user(_ application: BundleIdentifier, _ domain: WebHost) -> String {
    switch linkRule.choices[application, domain] {
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

/// The user's choices about links: application, domain, choice.
nonisolated struct LinkChoiceState: Codable, Sendable {
  var choices: [String: [String: String]] = [:]

  init(_ choices: LinkChoices) {
    for (key, choice) in choices.choices {
      self.choices[key.application.text, default: [:]][key.domain.text] = choice.rawValue
    }
  }

  var value: LinkChoices {
    var value = LinkChoices()
    for (application, domains) in choices {
      for (domain, choice) in domains where value.choices.count < LinkChoices.most {
        guard let application = BundleIdentifier(application), let domain = WebHost(domain) else {
          continue
        }
        value[application, domain] = LinkChoice(rawValue: choice)
      }
    }
    return value
  }
}
