/// A report for people.
package struct TextReport {
  let report: Report

  package init(report: Report) { self.report = report }

  package var lines: [String] {
    report.suites.flatMap { suite in
      [heading(of: suite)] + suite.cases.flatMap { lines(of: $0) }
    } + [summary]
  }

  package func heading(of suite: Report.Suite) -> String { "\(suite.name)" }

  /// One line with the result, then the findings, each with its place.
  package func lines(of aCase: Report.Case) -> [String] {
    let time = aCase.duration.map { " (\($0.seconds) s)" } ?? ""
    let outcome = report.outcome(of: aCase)
    var lines: [String]
    switch outcome {
    case .passed: lines = ["  ok      \(aCase.name)\(time)"]
    case .skipped: lines = ["  skipped \(aCase.name): \(aCase.skipped ?? "")"]
    case .failed: lines = ["  FAILED  \(aCase.name)\(time)"]
    case .error: lines = ["  ERROR   \(aCase.name)\(time)"]
    }
    for finding in report.failing(aCase) + report.remarks(aCase) {
      let place = (finding.place ?? aCase.place).map { "\($0.description): " } ?? ""
      lines.append("          \(place)\(Self.word(finding.severity))\(finding.message)")
      lines += finding.details.map { "            \($0)" }
    }
    if outcome == .failed || outcome == .error {
      lines += aCase.output.map { "          | \($0)" }
    }
    return lines
  }

  private static func word(_ severity: Report.Severity) -> String {
    switch severity {
    case .notice: "note: "
    case .warning: "warning: "
    case .failure, .error: ""
    }
  }

  /// Such as `4 passed, 1 failed, 1 skipped`.
  package var summary: String {
    let cases = report.cases
    let others: [(Report.Outcome, String)] = [
      (.failed, "failed"), (.error, "could not be carried out"), (.skipped, "skipped"),
    ]
    let counts = others.map { (report.count($0.0, in: cases), $0.1) }.filter { $0.0 > 0 }
    return (["\(report.count(.passed, in: cases)) passed"] + counts.map { "\($0.0) \($0.1)" })
      .joined(separator: ", ")
  }
}
