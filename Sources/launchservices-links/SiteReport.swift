internal import AssociationFiles
internal import FoundationEssentials
internal import LaunchRules
internal import Reports

/// What to check at each site.
struct SiteQuestions {
  /// The applications that the association file must name.
  var applications: [LinkedApplication] = []
  /// The property list that names the applications, for annotations; nil without one.
  var file: String?
  /// The lines that name the domains.
  var places: [WebHost: Report.Place] = [:]
  /// The URLs or paths that an application must receive.
  var urls: [String] = []
  /// The applications of Android that `assetlinks.json` must name.
  var packages: [String] = []
  /// The bytes that the association file must have as JSON; nil for no comparison.
  var expected: (path: String, bytes: [UInt8])?
}

/// Asks one site, and finds what is wrong with its answers.
struct SiteReport {
  let site: Site
  let questions: SiteQuestions

  private static let assetLinksPath = "/.well-known/assetlinks.json"

  var suite: Report.Suite {
    let file = questions.file ?? questions.expected?.path
    let cases = (appleCases + [androidCase]).map { aCase in
      var aCase = aCase
      aCase.place = questions.places[site.domain]
      return aCase
    }
    return Report.Suite(site.domain.text, file: file, cases)
  }

  // MARK: The answer

  /// The bytes of a usable answer; nil after failures.
  private func bytes(
    of answer: Site.Answer, _ findings: inout [Report.Finding], typeIsRequired: Bool
  ) -> [UInt8]? {
    let type = answer.contentType.split(separator: ";").first.map {
      $0.lowercased().filter { !$0.isWhitespace }
    }
    switch answer.status {
    case 200: break
    case 300..<400:
      let place = answer.redirect.isEmpty ? "" : " to \(answer.redirect)"
      findings.append(
        Report.Finding(
          .failure,
          "the site answers \(answer.status) and redirects\(place), and no redirect is followed; serve the"
            + " file at this address", title: "redirect"))
      return nil
    default:
      findings.append(
        Report.Finding(
          .failure, "the site answers \(answer.status) instead of 200; serve the file",
          title: "status"))
      return nil
    }
    if type != "application/json" {
      findings.append(
        Report.Finding(
          typeIsRequired ? .failure : .warning,
          "the Content-Type is \(answer.contentType.isEmpty ? "missing" : answer.contentType)\(typeIsRequired ? "" : "; Apple accepts that, and many validators do not"); serve application/json",
          title: "type"))
    }
    if answer.bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      findings.append(
        Report.Finding(
          .warning, "the file begins with a byte order mark, which JSON does not allow; remove it",
          title: "byte order mark"))
    }
    return answer.bytes
  }

  private static func finding(_ failure: Site.Failure) -> Report.Finding {
    let title =
      switch failure.result {
      case .badCertificate: "certificate"
      case .tooLarge: "size"
      case .timedOut: "time"
      default: "connection"
      }
    let isAnswer = failure.result == .tooLarge || failure.result == .badCertificate
    let sentence =
      failure.result == .tooLarge
      ? "the file is larger than \(AssociationFile.largestSize / 1024) KB, and is refused; shorten it"
      : failure.result == .badCertificate
        ? "the certificate is not valid: \(failure.reason); renew or correct it" : failure.reason
    return Report.Finding(isAnswer ? .failure : .error, sentence, title: title)
  }

  // MARK: iOS

  private var appleCases: [Report.Case] {
    let name = "apple-app-site-association"
    var findings: [Report.Finding] = []
    let bytes: [UInt8]
    do throws(Site.Failure) {
      let answer = try site.answer(to: AssociationFile.wellKnownPath)
      guard let served = self.bytes(of: answer, &findings, typeIsRequired: false) else {
        return [Report.Case(name, findings)] + unchecked
      }
      bytes = served
    } catch {
      return [Report.Case(name, [Self.finding(error)])] + unchecked
    }
    let reading = AssociationFileReading(bytes, at: site.domain.text, findsMistakes: true)
    findings += reading.diagnostics.map { diagnostic in
      let severity: Report.Severity =
        switch diagnostic.severity {
        case .note: .notice
        case .warning: .warning
        case .error: .failure
        }
      return Report.Finding(
        severity, "\(diagnostic.problem); \(diagnostic.consequence)",
        title: diagnostic.keyPath.isEmpty ? "JSON" : diagnostic.keyPath)
    }
    if let expected = questions.expected, !Self.areEqual(expected.bytes, bytes) {
      findings.append(
        Report.Finding(
          .failure, "the site does not serve the contents of \(expected.path); publish the file",
          title: "contents", at: Report.Place(expected.path)))
    }
    guard let file = reading.file else { return [Report.Case(name, findings)] + unchecked }
    let names = file.applications.map(\.description)
    findings.append(
      Report.Finding(
        names.isEmpty ? .failure : .notice,
        names.isEmpty
          ? "the file names no application; list one in applinks.details (R8.7)"
          : "the file names \(names.joined(separator: ", "))", title: "applications"))
    if !names.isEmpty, !file.details.contains(where: \.mayMatch) {
      findings.append(
        Report.Finding(
          .failure,
          "no URL of the site opens an application: no entry of applinks.details has a component that includes"
            + " URLs; add one, such as {\"/\": \"*\"}", title: "components"))
    }
    return [Report.Case(name, findings)]
      + questions.applications.map { check($0, in: file) }
      + questions.urls.map { check(url: $0, in: file) }
  }

  /// The cases that need the file, when there is none.
  private var unchecked: [Report.Case] {
    (questions.applications.map(Self.name) + questions.urls.map(Self.name(ofURL:))).map {
      Report.Case($0, skipped: "there is no association file")
    }
  }

  private static func name(_ application: LinkedApplication) -> String {
    "application \(application)"
  }
  private static func name(ofURL url: String) -> String { "URL \(url)" }

  private func check(_ application: LinkedApplication, in file: AssociationFile) -> Report.Case {
    var findings: [Report.Finding] = []
    if !file.applications.contains(application) {
      let other = file.applications.first { $0.identifier == application.identifier }
      findings.append(
        Report.Finding(
          .failure,
          other.map {
            "the file names \($0), which has another team; write \(application)"
          } ?? "the file does not name \(application); add it to appIDs",
          title: other == nil ? "application" : "team"))
    }
    return Report.Case(Self.name(application), findings)
  }

  private func check(url text: String, in file: AssociationFile) -> Report.Case {
    let name = Self.name(ofURL: text)
    let url: LinkURL
    do throws(LinkURL.Wrong) {
      url = try LinkURL(reading: text.hasPrefix("/") ? "https://\(site.domain)\(text)" : text)
    } catch {
      return Report.Case(name, [Report.Finding(.error, "the URL \(error.problem)", title: "URL")])
    }
    guard url.host == site.domain || url.host.text.hasSuffix(".\(site.domain)") else {
      return Report.Case(name, skipped: "it is not a URL of \(site.domain)")
    }
    let wanted = questions.applications.isEmpty ? file.applications : questions.applications
    let matches = wanted.map { ($0, file.match(url, for: $0)) }
    let details = matches.flatMap { application, match in
      ["\(application): \(match.reason)"]
        + match.misses.map { "  \($0.place.keyPath): \($0.sentence)" }
    }
    if let matched = matches.first(where: { $0.1.verdict == .matched }) {
      return Report.Case(
        name, [Report.Finding(.notice, "\(matched.0) receives it", title: "URL", details: details)])
    }
    let isBlocked = matches.contains { $0.1.verdict == .blocked }
    return Report.Case(
      name,
      [
        Report.Finding(
          .failure,
          isBlocked
            ? "a component of the file excludes the URL; the browser receives it"
            : "no component of the file matches the URL; the browser receives it",
          title: "component", details: details)
      ])
  }

  private static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one == other || JSONText.areEqual(one, other)
  }

  // MARK: Android

  private var androidCase: Report.Case {
    let name = "assetlinks.json"
    var findings: [Report.Finding] = []
    do throws(Site.Failure) {
      let answer = try site.answer(to: Self.assetLinksPath)
      if answer.status == 404 || answer.status == 403, questions.packages.isEmpty {
        return Report.Case(name, skipped: "the site has none (status \(answer.status))")
      }
      guard let bytes = self.bytes(of: answer, &findings, typeIsRequired: true) else {
        return Report.Case(name, findings)
      }
      let reading = AssetLinksReading(bytes, at: site.domain.text, findsMistakes: true)
      findings += reading.diagnostics.map {
        Report.Finding(
          $0.severity == .error ? .failure : $0.severity == .warning ? .warning : .notice,
          "\($0.problem); \($0.consequence)", title: $0.keyPath.isEmpty ? "JSON" : $0.keyPath)
      }
      for package in questions.packages where !reading.packages.contains(package) {
        findings.append(
          Report.Finding(
            .failure,
            "the file does not let \(package) handle its URLs; it names \(reading.packages.isEmpty ? "no application" : reading.packages.joined(separator: ", "))",
            title: "package"))
      }
    } catch {
      findings.append(Self.finding(error))
    }
    return Report.Case(name, findings)
  }
}
