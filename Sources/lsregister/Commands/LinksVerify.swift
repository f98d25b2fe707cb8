internal import AssociationFiles
internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules

/// `lsregister links verify`.
extension RegisterCommand {
  func verify(
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

  /// The URL of an argument, which is a URL of the domain or a path.
  private func link(_ text: String, _ domain: WebHost) throws(CommandFailure) -> LinkURL {
    let url: LinkURL
    do throws(LinkURL.Wrong) {
      url = try LinkURL(
        reading: text.hasPrefix("/")
          ? "https://\(domain)\(text)"
          : NonASCIIHost.place(in: text).map { text.withHostInASCII(text[$0]) } ?? text)
    } catch {
      throw .usage("'\(text)' \(error.problem)")
    }
    guard url.host == domain || url.host.text.hasSuffix(".\(domain)") else {
      throw .usage("'\(text)' is not a URL of \(domain)")
    }
    return url
  }

  /// The heading of an application in the format of `swcutil` (R8.25).
  static func head(_ application: LinkedApplication, _ domain: WebHost) -> String {
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
}
