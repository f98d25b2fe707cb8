internal import ApplicationFolders
internal import Commands
internal import Host
internal import LaunchRules
internal import PropertyLists

/// `lsregister links verify --site`. Another program asks the sites: this one has no library for the network.
extension RegisterCommand {
  /// Returns only with a failure.
  func verifySites(_ checks: LinksInvocation.SiteChecks) throws(CommandFailure) -> Never {
    var sites = checks.sites
    var arguments = ["verify"] + checks.passed
    if let against = checks.against {
      let path = try existing(against)
      if let application = try application(at: path, team: checks.team) {
        arguments += ["--application", application.name, "--file", shown(application.file)]
        for domain in application.domains where !sites.contains(domain) && checks.sites.isEmpty {
          sites.append(domain)
        }
        guard !sites.isEmpty else {
          throw CommandFailure(.no, "\(path) has no associated domain for applinks")
        }
      } else {
        arguments += ["--compare", shown(path)]
        guard !sites.isEmpty else { throw .usage("--against \(against) needs --site DOMAIN") }
      }
    }
    for url in checks.urls { arguments += ["--url", url] }
    throw ProgramReplacement.replaceProcess(
      by: AssociationFile.fetcher, arguments + sites.map(\.text), besides: output.command)
  }

  /// Nil for a file that is not a property list.
  private func application(
    at path: String, team: String?
  ) throws(CommandFailure) -> (name: String, file: String, domains: [WebHost])? {
    guard let file = try? PropertyListPath.find(path) else {
      throw CommandFailure(.no, "\(path) contains no property list")
    }
    let beginning = (try? RegularFile.beginning(of: file, atMost: 512)) ?? []
    let first = beginning.first { !" \t\r\n".utf8.contains($0) }
    guard first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else { return nil }
    var definitions: [String: String] = [:]
    if let team { definitions[BuildVariableName.team] = team }
    if let entitlements = SourceTree.entitlements(beside: file) {
      definitions[BuildVariableName.entitlements] = entitlements
    }
    let reading = ApplicationReading(of: file, variables: BuildVariables(definitions))
    guard let declaration = reading.application?.declaration else {
      throw failure(.no, reading.diagnostics)
    }
    guard let team = declaration.team else {
      throw CommandFailure(
        .no, "the team of \(declaration.identifier) is not known; give it with --team")
    }
    return (
      "\(team).\(declaration.identifier)", file, declaration.associatedDomains.map(\.domain)
    )
  }

  /// The path for annotations: relative when the file is below the folder of the command.
  private func shown(_ path: String) -> String {
    path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
  }
}
