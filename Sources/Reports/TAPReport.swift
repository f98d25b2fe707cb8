/// A report in the Test Anything Protocol, version 14: one line for each case, with a YAML block when it failed.
package struct TAPReport {
  let report: Report

  package init(report: Report) { self.report = report }

  package static let version = "TAP version 14"

  package var lines: [String] {
    var number = 0
    var lines = [Self.version, Self.plan(report.cases.count)]
    for suite in report.suites {
      for aCase in suite.cases {
        number += 1
        lines += self.lines(of: aCase, in: suite, number: number)
      }
    }
    return lines
  }

  /// The number of cases; allowed at the start and at the end.
  package static func plan(_ count: Int) -> String { "1..\(count)" }

  package func lines(of aCase: Report.Case, in suite: Report.Suite, number: Int) -> [String] {
    let outcome = report.outcome(of: aCase)
    let passes = outcome == .passed || outcome == .skipped
    var line =
      "\(passes ? "ok" : "not ok") \(number) - \(Self.escape("\(suite.name): \(aCase.name)"))"
    if let reason = aCase.skipped { line += " # SKIP \(Self.escape(reason))" }
    guard aCase.skipped == nil else { return [line] }
    return [line] + block(aCase)
  }

  /// The findings as YAML, indented by two columns; empty without a finding.
  private func block(_ aCase: Report.Case) -> [String] {
    let findings = report.failing(aCase) + report.remarks(aCase)
    guard let first = findings.first else { return [] }
    var lines = ["---", "message: \(Self.quote(first.message))"]
    lines.append("severity: \(Self.word(first.severity))")
    if let place = first.place ?? aCase.place {
      lines += ["at:", "  file: \(Self.quote(place.file))"]
      if let line = place.line { lines.append("  line: \(line)") }
      if let column = place.column { lines.append("  column: \(column)") }
    }
    if let duration = aCase.duration { lines.append("duration_ms: \(duration / .milliseconds(1))") }
    let details = first.details + findings.dropFirst().flatMap { [$0.message] + $0.details }
    lines += Self.list("details", details) + Self.list("output", aCase.output)
    return (lines + ["..."]).map { "  " + $0 }
  }

  private static func list(_ key: String, _ texts: [String]) -> [String] {
    texts.isEmpty ? [] : ["\(key):"] + texts.map { "  - \(quote($0))" }
  }

  private static func word(_ severity: Report.Severity) -> String {
    switch severity {
    case .notice: "comment"
    case .warning: "warning"
    case .failure: "fail"
    case .error: "error"
    }
  }

  /// A description: `#` would start a directive, and `\` an escape.
  private static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "#", "\\": escaped += "\\\(scalar)"
      case _ where scalar.isControl: escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A double-quoted string of YAML.
  private static func quote(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.isControl:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Unicode.Scalar {
  /// A control character, or a character that ends a line.
  var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
  }
}
