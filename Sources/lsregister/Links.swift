internal import AssociationFiles
internal import BusContract
internal import Commands
internal import DBus
internal import Host
internal import LaunchRules

/// Universal links.
extension RegisterCommand {
  func links(_ invocation: LinksInvocation) throws(CommandFailure) -> ExitCode {
    let json = invocation.json
    switch invocation.action {
    case .list: try listLinks(json: json)
    case .verify(let domain, let file, let urls):
      return try verify(domain, file: file, urls: urls, json: json)
    case .dump: try dumpLinks(json: json)
    case .add(let domain, let path):
      let path = try existing(path)
      _ = try call(Contract.setAssociationFile(domain.text, path))
      _ = try read(path)
    case .remove(let domain): _ = try call(Contract.setAssociationFile(domain.text, ""))
    case .refresh(let domains):
      // However long the sites take.
      _ = try call(Contract.refreshLinks(domains.map(\.text)), nil)
    case .choose(let application, let domain, let choice):
      _ = try call(Contract.chooseLink(application, domain.text, choice?.rawValue ?? ""))
    }
    if json, invocation.isChange { output.print(JSON.text([:])) }
    return .success
  }

  private func allLinks() throws(CommandFailure) -> [Options] {
    try call(Contract.links()).first?.asOptionsList ?? []
  }

  private func listLinks(json: Bool) throws(CommandFailure) {
    let links = try allLinks()
    if json { return output.print(JSON.text(.optionsList(links))) }
    output.print(
      Columns.lines(
        links.map { link in
          func text(_ key: String) -> String { link[key]?.asString ?? "" }
          let counts = link[Key.counts]?.asBoolean ?? true
          return [
            text(Key.bundleIdentifier), "applinks:" + text(Key.entry),
            "user=" + text(Key.user), "site=" + text(Key.site), text(Key.source),
            counts ? Self.remark(link) : "its mode does not count",
          ]
        }))
  }

  private static func remark(_ link: Options) -> String {
    if link[Key.applicationIdentifier]?.asString?.isEmpty == true { return "its team is not known" }
    return link[Key.result]?.asString ?? "-"
  }

  // MARK: Files

  private func read(_ path: String) throws(CommandFailure) -> AssociationFile {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try RegularFile.read(path, atMost: AssociationFile.largestSize).bytes
    } catch {
      throw CommandFailure(.failed, error.description)
    }
    let reading = AssociationFileReading(bytes, at: path)
    guard let file = reading.file else {
      throw CommandFailure(.failed, reading.diagnostics.map(\.description).joined(separator: "\n"))
    }
    for diagnostic in reading.diagnostics { output.complain(diagnostic.description) }
    return file
  }

  private func verify(
    _ domain: WebHost, file path: String?, urls: [String], json: Bool
  ) throws(CommandFailure) -> ExitCode {
    let links = try urls.map { text throws(CommandFailure) in (text, try link(text, domain)) }
    let file: AssociationFile
    if let path {
      file = try read(try existing(path))
    } else {
      let link = try allLinks().first { $0[Key.domain]?.asString == domain.text }
      guard let path = link?[Key.file]?.asString else {
        throw CommandFailure(
          .failed, "there is no association file of \(domain); see lsregister links list")
      }
      file = try read(path)
    }
    guard !file.applications.isEmpty else {
      throw CommandFailure(
        .no, "the file of \(domain) names no application; list one in applinks.details (R8.7)")
    }
    guard !links.isEmpty else {
      printPatterns(of: file, domain, json: json)
      return .success
    }
    var isAnyLost = false
    for (text, url) in links {
      let matches = file.applications.map { ($0, file.match(url, for: $0)) }
      isAnyLost = isAnyLost || !matches.contains { $0.1.verdict == .matched }
      for (application, match) in matches {
        if json {
          output.print(JSON.text(Self.options(application, domain, text, match)))
        } else {
          output.print([Self.head(application, domain)] + Self.lines(text, match))
        }
      }
    }
    return isAnyLost ? .no : .success
  }

  /// A URL of the domain, or a path there.
  private func link(_ text: String, _ domain: WebHost) throws(CommandFailure) -> LinkURL {
    let url: LinkURL
    do throws(LinkURL.Wrong) {
      url = try LinkURL(reading: text.hasPrefix("/") ? "https://\(domain)\(text)" : text)
    } catch {
      throw .usage("'\(text)' \(error.problem)")
    }
    guard url.host == domain || url.host.text.hasSuffix(".\(domain)") else {
      throw .usage("'\(text)' is no URL of \(domain)")
    }
    return url
  }

  /// As `swcutil` names an application (R8.25).
  private static func head(_ application: LinkedApplication, _ domain: WebHost) -> String {
    "{ s = applinks, a = \(application), d = \(domain) }:"
  }

  private static func lines(_ url: String, _ match: LinkMatch) -> [String] {
    let verdict =
      switch match.verdict {
      case .matched: "matched"
      case .blocked: "blocked match"
      case .notMatched, .notListed, .tooMuchWork: "did not match"
      }
    return ["  Pattern \"\(url)\" \(verdict)."]
      + match.misses.map { "    \($0.place.keyPath): \($0.sentence)" } + ["    \(match.reason)"]
  }

  private static func options(
    _ application: LinkedApplication, _ domain: WebHost, _ url: String, _ match: LinkMatch
  ) -> Options {
    [
      Key.applicationIdentifier: .string(application.description),
      Key.domain: .string(domain.text), Key.url: .string(url),
      "verdict": .string("\(match.verdict)"),
      "component": .string(match.place?.keyPath ?? ""), "reason": .string(match.reason),
      "misses": .strings(match.misses.map { "\($0.place.keyPath): \($0.sentence)" }),
    ]
  }

  // MARK: Patterns

  private func dumpLinks(json: Bool) throws(CommandFailure) {
    var seen: Set<String> = []
    for link in try allLinks() {
      guard let path = link[Key.file]?.asString, seen.insert(path).inserted,
        let domain = link[Key.domain]?.asString.flatMap(WebHost.init)
      else { continue }
      printPatterns(of: try read(path), domain, json: json)
    }
  }

  private func printPatterns(of file: AssociationFile, _ domain: WebHost, json: Bool) {
    for application in file.applications {
      let patterns = file.patterns(of: application)
      if json {
        output.print(
          JSON.text([
            Key.applicationIdentifier: .string(application.description),
            Key.domain: .string(domain.text),
            "components": .optionsList(
              patterns.map { ["component": .string($0), "patterns": .string($1)] }),
          ]))
      } else {
        output.print(
          [Self.head(application, domain)] + Columns.lines(patterns.map { ["  " + $0, $1] }))
      }
    }
  }
}
