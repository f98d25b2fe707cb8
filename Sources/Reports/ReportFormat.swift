/// A form in which a report is printed.
package enum ReportFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// Test Anything Protocol, version 14.
  case tap
  /// JUnit XML, as CI services read it.
  case junit
  /// The text, and annotations of GitHub Actions.
  case github

  /// The names of the formats for help texts and messages, such as `text, tap, junit or github`.
  package static var names: String {
    let names = allCases.map(\.rawValue)
    return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
  }
}

/// What a report says about its run besides its results.
package struct ReportRun: Hashable, Sendable {
  /// ISO 8601, in UTC without fractions: `2026-11-24T07:34:12`. Nil to leave it out.
  package var start: String?
  /// The name of the machine; nil to leave it out.
  package var host: String?
  /// For `github`: letters and digits that nobody who wrote a checked file can guess. They mark the end of the lines in
  /// which GitHub looks for no commands.
  package var token: String

  package init(start: String? = nil, host: String? = nil, token: String) {
    self.start = start
    self.host = host
    self.token = token
  }
}

extension Report {
  /// The whole report, line by line. A line may contain control characters of a checked file, also line breaks, except in
  /// `junit` and `tap`.
  package func lines(_ format: ReportFormat, _ run: ReportRun) -> [String] {
    switch format {
    case .text: TextReport(report: self).lines
    case .tap: TAPReport(report: self).lines
    case .junit: JUnitReport(report: self, run: run).lines
    case .github: GitHubReport(report: self, run: run).lines
    }
  }
}

extension Duration {
  /// Seconds with three decimals.
  var seconds: String {
    let milliseconds =
      components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
