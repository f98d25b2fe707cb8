internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import Reports

/// Collects the results of a command, and prints them in the wanted form.
struct TestResults {
  private let invocation: TestInvocation
  private let output: Output
  private let folder: String
  private var report = Report("lstest")
  private let start = Date()
  var hasInvalidScenario = false
  /// Whether the machine prevented a world, such as by a full disk.
  var wasUnable = false

  init(_ invocation: TestInvocation, _ output: Output, folder: String) {
    self.invocation = invocation
    self.output = output
    self.folder = folder
  }

  /// Whether people read the results while the tests run.
  private var printsText: Bool { invocation.format == .text || invocation.output != nil }

  /// Fails at once when the results cannot be written.
  func begin() throws(CommandFailure) {
    guard let path = invocation.output else { return }
    try TestCommand.write("", to: FilePath.absolute(path, from: folder))
  }

  mutating func add(_ suite: Report.Suite) {
    report.suites.append(suite)
    guard printsText, Interruption.shared.signal != SIGPIPE else { return }
    let text = TextReport(report: report)
    output.print([text.heading(of: suite)] + suite.cases.flatMap { text.lines(of: $0) })
  }

  /// - Parameter prints: false when nobody reads standard output.
  @discardableResult func end(prints: Bool = true) throws(CommandFailure) -> TestStatus {
    if printsText, prints { output.print(TextReport(report: report).summary) }
    if let path = invocation.output {
      let text = lines.map { $0.visible + "\n" }.joined()
      try TestCommand.write(text, to: FilePath.absolute(path, from: folder))
    } else if !printsText, prints {
      output.print(lines)
    }
    return hasInvalidScenario
      ? .invalidScenario : wasUnable ? .unable : report.passes ? .passed : .failed
  }

  private var lines: [String] {
    let time = start.formatted(.iso8601).prefix(19)
    let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    let run = ReportRun(
      start: String(time), host: ProcessInfo.processInfo.hostName, token: random)
    return report.lines(invocation.format, run)
  }
}
