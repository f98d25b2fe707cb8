/// A report in the part of JUnit XML that every CI service reads.
struct JUnitReport {
  let report: Report
  let run: ReportRun

  var lines: [String] {
    let elements =
      [#"<?xml version="1.0" encoding="UTF-8"?>"#]
      + element("testsuites", counts(report.cases, name: report.name), report.suites.flatMap(suite))
    // A line break of a text is a line break of the report.
    return elements.flatMap {
      $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private func suite(_ suite: Report.Suite) -> [String] {
    var attributes = counts(suite.cases, name: suite.name)
    attributes += [("timestamp", run.start), ("hostname", run.host), ("file", suite.file)]
    return element("testsuite", attributes, suite.cases.flatMap { lines(of: $0, in: suite) })
  }

  private func counts(_ cases: [Report.Case], name: String) -> [(String, String?)] {
    let time = cases.compactMap(\.duration).reduce(Duration.zero, +)
    return [
      ("name", name), ("tests", String(cases.count)),
      ("failures", String(report.count(.failed, in: cases))),
      ("errors", String(report.count(.error, in: cases))),
      ("skipped", String(report.count(.skipped, in: cases))), ("time", time.seconds),
    ]
  }

  private func lines(of aCase: Report.Case, in suite: Report.Suite) -> [String] {
    let failing = report.failing(aCase)
    let place = failing.first?.place ?? aCase.place
    var children: [String] = []
    if let reason = aCase.skipped { children += element("skipped", [("message", reason)]) }
    if let first = failing.first {
      let isError = report.outcome(of: aCase) == .error
      children += element(
        isError ? "error" : "failure",
        [
          ("message", first.message),
          ("type", first.title.isEmpty ? "\(first.severity)" : first.title),
        ],
        text: failing.flatMap { text(of: $0, in: aCase) })
    }
    let output = report.remarks(aCase).flatMap { text(of: $0, in: aCase) } + aCase.output
    if !output.isEmpty { children += element("system-out", text: output) }
    return element(
      "testcase",
      [
        ("classname", suite.name), ("name", aCase.name), ("time", aCase.duration?.seconds),
        ("file", place?.file ?? suite.file), ("line", place?.line.map(String.init)),
      ], children)
  }

  private func text(of finding: Report.Finding, in aCase: Report.Case) -> [String] {
    let place = (finding.place ?? aCase.place).map { "\($0.description): " } ?? ""
    return ["\(place)\(finding.severity): \(finding.message)"] + finding.details.map { "  \($0)" }
  }

  // MARK: XML

  private func element(
    _ name: String, _ attributes: [(String, String?)], _ children: [String]
  ) -> [String] {
    let head = Self.head(name, attributes)
    guard !children.isEmpty else { return ["<\(head)/>"] }
    return ["<\(head)>"] + children.map { "  " + $0 } + ["</\(name)>"]
  }

  private func element(
    _ name: String, _ attributes: [(String, String?)] = [], text: [String] = []
  ) -> [String] {
    let head = Self.head(name, attributes)
    guard !text.isEmpty else { return ["<\(head)/>"] }
    return ["<\(head)>\(Self.escape(text.joined(separator: "\n"), inAttribute: false))</\(name)>"]
  }

  private static func head(_ name: String, _ attributes: [(String, String?)]) -> String {
    ([name]
      + attributes.compactMap { name, value in
        value.map { "\(name)=\"\(escape($0, inAttribute: true))\"" }
      }).joined(separator: " ")
  }

  /// A character that XML 1.0 does not allow becomes U+FFFD. In an attribute, a line break is written as a reference,
  /// because a reader would replace it by a blank. So is a tab, which output to a terminal would replace.
  private static func escape(_ text: String, inAttribute: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\n" where !inAttribute: escaped.unicodeScalars.append(scalar)
      case "\n", "\t", "\r": escaped += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
