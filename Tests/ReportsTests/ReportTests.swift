import Reports
import Testing

/// A report with one case of each outcome, whose texts have characters that each format must escape.
let mixed = Report(
  "lstest",
  [
    Report.Suite(
      "photos", file: "photos.json",
      [
        Report.Case("open photos:1", duration: .milliseconds(1204)),
        Report.Case(
          "open <a href=\"x\">#1", at: .init("photos.json", line: 7, column: 3),
          [
            Report.Finding(
              .failure, "expected 50% & got\nnothing", title: "wrong, handler: x",
              details: ["url: the scheme is known"])
          ], output: ["::error::from a handler \u{1}"]),
        Report.Case("kill photos", skipped: "photos does not run"),
        Report.Case("click", [Report.Finding(.error, "the daemon ended", at: .init("b.json"))]),
        Report.Case("site", [Report.Finding(.warning, "the file is large")]),
      ])
  ])

private let run = ReportRun(start: "2026-11-24T07:34:12", host: "ci", token: "t0k3n")

struct ReportTests {
  @Test func aReportWithAFailureDoesNotPass() {
    #expect(!mixed.passes)
    #expect(mixed.cases.map(mixed.outcome) == [.passed, .failed, .skipped, .error, .passed])
  }

  @Test func aWarningFailsAStrictReport() {
    var report = Report(
      "lint", [Report.Suite("a", [Report.Case("b", [Report.Finding(.warning, "c")])])])
    #expect(report.passes)
    report.failsOn = .warning
    #expect(!report.passes)
    #expect(report.lines(.github, run).last == "::error title=b::c")
  }

  @Test func textHasEveryFindingAndASummary() {
    #expect(
      mixed.lines(.text, run) == [
        "photos", "  ok      open photos:1 (1.204 s)", "  FAILED  open <a href=\"x\">#1",
        "          photos.json:7:3: expected 50% & got\nnothing",
        "            url: the scheme is known", "          | ::error::from a handler \u{1}",
        "  skipped kill photos: photos does not run", "  ERROR   click",
        "          b.json: the daemon ended", "  ok      site",
        "          warning: the file is large",
        "2 passed, 1 failed, 1 could not be carried out, 1 skipped",
      ])
  }

  @Test func tapHasAPlanDirectivesAndYAMLBlocks() {
    #expect(
      mixed.lines(.tap, run) == [
        "TAP version 14", "1..5", "ok 1 - photos: open photos:1",
        "not ok 2 - photos: open <a href=\"x\">\\#1", "  ---",
        #"  message: "expected 50% & got\nnothing""#, "  severity: fail", "  at:",
        #"    file: "photos.json""#, "    line: 7", "    column: 3", "  details:",
        #"    - "url: the scheme is known""#, "  output:",
        #"    - "::error::from a handler \u0001""#, "  ...",
        "ok 3 - photos: kill photos # SKIP photos does not run", "not ok 4 - photos: click",
        "  ---",
        #"  message: "the daemon ended""#, "  severity: error", "  at:", #"    file: "b.json""#,
        "  ...", "ok 5 - photos: site", "  ---", #"  message: "the file is large""#,
        "  severity: warning", "  ...",
      ])
  }

  @Test func annotationsAreEscapedAndTheWorstComesFirst() {
    let lines = mixed.lines(.github, run)
    #expect(lines.first == "::stop-commands::t0k3n")
    let end = lines.firstIndex(of: "::t0k3n::") ?? 0
    #expect(
      Array(lines[(end + 1)...]) == [
        "::error file=b.json,title=click::the daemon ended",
        "::error file=photos.json,line=7,col=3,title=wrong%2C handler%3A x::"
          + "expected 50%25 & got%0Anothing%0Aurl: the scheme is known",
        "::warning file=photos.json,title=site::the file is large",
      ])
  }

  @Test func gitHubGetsTenErrorsAtMost() {
    let cases = (0..<12).map { Report.Case("c\($0)", [Report.Finding(.failure, "f")]) }
    let lines = Report("x", [Report.Suite("s", cases)]).lines(.github, run)
    #expect(lines.filter { $0.hasPrefix("::error") }.count == 10)
    #expect(lines.filter { $0.hasPrefix("  FAILED") }.count == 12)
  }
}
