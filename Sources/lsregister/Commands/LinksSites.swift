internal import ApplicationFolders
internal import BuildSettings
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
      var path = try existing(against)
      var build = checks.build
      if path.hasSuffix(".xcodeproj") {
        build.project = path
        path = try propertyList(ofTarget: build)
      }
      if let application = try application(at: path, build) {
        arguments += ["--application", application.name, "--file", shown(application.file)]
        for place in application.places {
          arguments += ["--place", "\(place.domain)=\(place.line):\(shown(place.file))"]
        }
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
      by: AssociationFile.fetcher, arguments + sites.map(\.text), as: output.command)
  }

  /// The property list of the application target of a project.
  private func propertyList(ofTarget build: BuildRequest) throws(CommandFailure) -> String {
    let targets = try targets(try request(build))
    guard targets.count == 1, let target = targets.first else {
      throw CommandFailure(
        .failed,
        "the project has the application targets \(targets.map(\.name).joined(separator: ", ")); choose one with"
          + " --target")
    }
    guard let list = target.propertyList else {
      throw CommandFailure(
        .no,
        "the target \(target.name) has no INFOPLIST_FILE: name the property list with --against")
    }
    return list
  }

  /// An application whose sites are asked.
  private struct LinkingApplication {
    var name: String
    var file: String
    var domains: [WebHost]
    /// Where the domains are written.
    var places: [(domain: WebHost, file: String, line: Int)]
  }

  /// Nil for a file that is not a property list.
  private func application(
    at path: String, _ build: BuildRequest
  ) throws(CommandFailure) -> LinkingApplication? {
    guard let file = try? PropertyListPath.find(path) else {
      throw CommandFailure(.no, "\(path) contains no property list")
    }
    let beginning = (try? RegularFile.beginning(of: file, atMost: 512)) ?? []
    let first = beginning.first { !" \t\r\n".utf8.contains($0) }
    guard first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else { return nil }
    let subject = try subject(ofFile: file, try request(build))
    let variables = subject.settings.variables
    let reading = ApplicationReading(of: file, variables: variables)
    guard let declaration = reading.application?.declaration else {
      throw failure(.no, reading.diagnostics)
    }
    guard let team = declaration.team else {
      throw CommandFailure(
        .no, "the team of \(declaration.identifier) is not known; give it with --team")
    }
    let domains = declaration.associatedDomains.map(\.domain)
    let files = [file] + [subject.entitlements].compactMap(\.self)
    return LinkingApplication(
      name: "\(team).\(declaration.identifier)", file: file, domains: domains,
      places: files.flatMap { file in
        AssociatedDomainLines.read(file, variables).compactMap { line in
          domains.contains(line.domain) ? (line.domain, file, line.line) : nil
        }
      })
  }

  /// The path for annotations: relative when the file is below the folder of the command.
  private func shown(_ path: String) -> String {
    path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
  }
}
