/// A report for GitHub Actions: the text, then annotations, the worst first.
///
/// GitHub shows ten errors and ten warnings of a step. The text has all findings.
struct GitHubReport {
  let report: Report
  let run: ReportRun

  private static let mostAnnotations = 10

  var lines: [String] {
    // Names and URLs of a checked file must not be read as commands.
    ["::stop-commands::\(run.token)"] + TextReport(report: report).lines + ["::\(run.token)::"]
      + annotations(.error) + annotations(.warning) + annotations(.notice)
  }

  private func annotations(_ kind: Kind) -> [String] {
    let found = report.suites.flatMap { suite in
      suite.cases.flatMap { aCase in
        var aCase = aCase
        aCase.place = aCase.place ?? suite.file.map { Report.Place($0) }
        return (report.failing(aCase) + report.remarks(aCase)).filter { self.kind(of: $0) == kind }
          .map { (aCase, $0) }
      }
    }
    // The sort of the standard library may change the order of equal elements.
    let sorted = found.enumerated().sorted {
      ($1.element.1.severity, $0.offset) < ($0.element.1.severity, $1.offset)
    }
    return sorted.prefix(Self.mostAnnotations).map {
      line(of: $0.element.1, in: $0.element.0, kind)
    }
  }

  private enum Kind: String { case error, warning, notice }

  private func kind(of finding: Report.Finding) -> Kind {
    switch finding.severity {
    case .notice: finding.severity >= report.failsOn ? .error : .notice
    case .warning: finding.severity >= report.failsOn ? .error : .warning
    case .failure, .error: .error
    }
  }

  private func line(of finding: Report.Finding, in aCase: Report.Case, _ kind: Kind) -> String {
    let place = finding.place ?? aCase.place
    var properties: [(String, String)] = []
    if let place {
      properties.append(("file", place.file))
      if let line = place.line { properties.append(("line", String(line))) }
      if let column = place.column, place.line != nil { properties.append(("col", String(column))) }
    }
    let title = finding.title.isEmpty ? aCase.name : finding.title
    properties.append(("title", title))
    let text = ([finding.message] + finding.details).joined(separator: "\n")
    let list = properties.map { "\($0.0)=\(Self.escape($0.1, inProperty: true))" }
    return
      "::\(kind.rawValue) \(list.joined(separator: ","))::\(Self.escape(text, inProperty: false))"
  }

  private static func escape(_ text: String, inProperty: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case ":" where inProperty: escaped += "%3A"
      case "," where inProperty: escaped += "%2C"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
