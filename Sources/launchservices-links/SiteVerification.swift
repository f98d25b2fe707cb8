internal import Commands
internal import DBus
internal import Host
internal import LaunchRules
internal import Reports

/// `launchservices-links verify`.
struct SiteVerification {
  enum Format {
    case json
    case report(ReportFormat)
  }

  var sites: [Site] = []
  var questions = SiteQuestions()
  var isStrict = false
  private(set) var format = Format.report(.text)

  mutating func take(format text: String) throws(CommandFailure) {
    if text == "json" {
      format = .json
    } else if let known = ReportFormat(rawValue: text) {
      format = .report(known)
    } else {
      throw .usage("option '--format' takes text, json, junit, tap or github, not '\(text)'")
    }
  }

  mutating func take(place text: String) throws(CommandFailure) {
    let parts = text.split(separator: "=", maxSplits: 1)
    let place = parts.count == 2 ? parts[1].split(separator: ":", maxSplits: 1) : []
    guard place.count == 2, let domain = WebHost(String(parts[0])), let line = Int(place[0]),
      line > 0
    else { throw .usage("option '--place' takes DOMAIN=LINE:FILE, not '\(text)'") }
    // The first place counts: a file may name a domain and its subdomains.
    guard questions.places[domain] == nil else { return }
    questions.places[domain] = Report.Place(String(place[1]), line: line)
  }

  mutating func take(compared path: String) throws(CommandFailure) {
    do throws(FileError) {
      questions.expected = (
        path, try RegularFile.read(path, atMost: AssociationFile.largestSize).bytes
      )
    } catch {
      throw CommandFailure(error.errno == .noSuchFile ? .noSuchFile : .failed, "\(error)")
    }
  }

  func run(_ output: Output) -> ExitCode {
    var report = Report(
      "lsregister links verify", sites.map { SiteReport(site: $0, questions: questions).suite },
      failsOn: isStrict ? .warning : .failure)
    switch format {
    case .json:
      output.print(JSON.text(.optionsList(report.suites.map { Self.options($0, report) })))
    case .report(let format):
      if format == .github { Self.nameSites(in: &report) }
      var generator = SystemRandomNumberGenerator()
      let token = (0..<2).map { _ in String(generator.next(), radix: 16) }.joined()
      output.print(report.lines(format, ReportRun(token: token)))
    }
    let outcomes = report.cases.map(report.outcome)
    return outcomes.contains(.failed) ? .no : outcomes.contains(.error) ? .failed : .success
  }

  /// An annotation shows neither the suite nor the case of its finding.
  private static func nameSites(in report: inout Report) {
    for suite in report.suites.indices {
      let site = report.suites[suite].name
      for aCase in report.suites[suite].cases.indices {
        for finding in report.suites[suite].cases[aCase].findings.indices {
          let title = report.suites[suite].cases[aCase].findings[finding].title
          report.suites[suite].cases[aCase].findings[finding].title = "\(site): \(title)"
        }
      }
    }
  }

  private static func options(_ suite: Report.Suite, _ report: Report) -> Options {
    [
      "domain": .string(suite.name),
      "checks": .optionsList(
        suite.cases.map { aCase in
          var options: Options = [
            "name": .string(aCase.name), "outcome": .string("\(report.outcome(of: aCase))"),
            "findings": .optionsList(
              aCase.findings.map {
                [
                  "severity": .string("\($0.severity)"), "title": .string($0.title),
                  "message": .string($0.message), "details": .strings($0.details),
                ]
              }),
          ]
          if let reason = aCase.skipped { options["skipped"] = .string(reason) }
          return options
        }),
    ]
  }
}
