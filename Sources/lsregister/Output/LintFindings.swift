internal import ApplicationFolders
internal import AssociationFiles
internal import BuildSettings
internal import Commands
internal import DBus
internal import Glibc
internal import Host
internal import KeyLines
internal import LaunchRules
internal import PropertyLists
internal import Reports

/// The findings of `lsregister lint`, in the order of the property lists.
struct LintFindings {
  private struct Finding {
    let diagnostic: Diagnostic
    /// From 1; nil when it is not known.
    let line: Int?
    /// From 1, in characters; nil for the whole line.
    var column: Int?
  }

  /// The folder to which paths in reports are relative.
  private let folder: String
  /// The property lists that were checked, also those without a finding.
  private var checked: [String] = []
  private var findings: [Finding] = []
  private var linesOfFiles: [String: PropertyListLines] = [:]

  init(folder: String) { self.folder = folder }

  mutating func add(_ diagnostics: [Diagnostic], checking path: String) {
    checked.append((try? PropertyListPath.find(path)) ?? path)
    for diagnostic in diagnostics { add(diagnostic) }
  }

  private mutating func add(_ diagnostic: Diagnostic) {
    if case .association = LintedFile(diagnostic.file) { return add(ofJSON: diagnostic) }
    if case .assetLinks = LintedFile(diagnostic.file) { return add(ofJSON: diagnostic) }
    let line = line(of: diagnostic)
    var diagnostic = diagnostic
    if line != nil { diagnostic.consequence = Refusal.withLine(diagnostic.consequence) }
    findings.append(Finding(diagnostic: diagnostic, line: line))
  }

  private mutating func add(ofJSON diagnostic: Diagnostic) {
    let contents = Self.contents(of: diagnostic.file) ?? []
    guard diagnostic.keyPath.isEmpty else {
      let line = KeyLines(contents).line(of: diagnostic.keyPath)
      return findings.append(Finding(diagnostic: diagnostic, line: line))
    }
    let mistake = diagnostic.severity == .error ? JSONMistake.find(in: contents) : nil
    findings.append(
      Finding(diagnostic: diagnostic, line: mistake?.line, column: mistake?.column))
  }

  private mutating func line(of diagnostic: Diagnostic) -> Int? {
    guard diagnostic.keyPath.isEmpty else {
      return lines(of: diagnostic.file).line(of: diagnostic.keyPath)
    }
    guard diagnostic.severity == .error else { return nil }
    return Self.contents(of: diagnostic.file).flatMap(RefusedLine.find)
  }

  mutating func add(_ problems: [SettingProblem]) {
    for problem in problems {
      let diagnostic = Diagnostic(
        .note, file: problem.source.file, problem: problem.text,
        consequence: "build variables that it defines may have no value")
      guard !findings.contains(where: { $0.diagnostic == diagnostic }) else { continue }
      findings.append(Finding(diagnostic: diagnostic, line: problem.source.line))
    }
  }

  mutating func add(_ failure: SettingsFailure, in project: String) {
    findings.append(
      Finding(
        diagnostic: Diagnostic(
          .error, file: XcodeProject.file(of: project), problem: failure.description,
          consequence: "the project is not checked"), line: nil))
  }

  mutating func add(skipping path: String, _ words: String) {
    findings.append(
      Finding(
        diagnostic: Diagnostic(
          .note, file: path, problem: "it is \(words)", consequence: "it is not checked"),
        line: nil))
  }

  mutating func addWithoutPropertyList(_ subject: BuildSubject, project: String?) {
    findings.append(
      Finding(
        diagnostic: Diagnostic(
          .note, file: project ?? subject.name,
          problem:
            "the target \(subject.name) has no INFOPLIST_FILE, so Xcode generates its property list",
          consequence: "the application claims no scheme"), line: nil))
  }

  mutating func add(_ settings: [BuildSettings.Setting], usedBy path: String) {
    for setting in settings {
      findings.append(
        Finding(
          diagnostic: Diagnostic(
            .note, file: path,
            problem: "the build variable \(setting.name) is \(setting.value.quoted)",
            consequence: "the value comes from \(setting.source)"), line: nil))
    }
  }

  private mutating func lines(of file: String) -> PropertyListLines {
    if let lines = linesOfFiles[file] { return lines }
    let lines = PropertyListLines(Self.contents(of: file) ?? [])
    linesOfFiles[file] = lines
    return lines
  }

  private static func contents(of file: String) -> [UInt8]? {
    try? RegularFile.read(file, atMost: InfoPropertyList.largestSize).bytes
  }

  /// Whether a finding is an error, or, if strict, a warning.
  func fail(isStrict: Bool) -> Bool {
    findings.contains { $0.diagnostic.severity >= (isStrict ? .warning : .error) }
  }

  // MARK: Output

  func print(_ options: LintOptions, to output: Output) {
    switch options.format {
    case .text: output.print(findings.map(Self.text))
    case .json: output.print(JSON.text(.optionsList(findings.map(Self.options))))
    case .report(let format):
      output.print(report(isStrict: options.isStrict).lines(format, .ofThisProcess))
    }
  }

  /// The key says where a finding is; without one, the line.
  private static func text(_ finding: Finding) -> String {
    let text = finding.diagnostic.description
    let file = finding.diagnostic.file
    guard finding.diagnostic.keyPath.isEmpty, let line = finding.line, text.hasPrefix(file) else {
      return text
    }
    return "\(file):\(line)\(text.dropFirst(file.count))"
  }

  private static func options(_ finding: Finding) -> Options {
    let diagnostic = finding.diagnostic
    var options: Options = [
      "severity": .string(diagnostic.severity.rawValue), "file": .string(diagnostic.file),
      "key-path": .string(diagnostic.keyPath), "problem": .string(diagnostic.problem),
      "consequence": .string(diagnostic.consequence),
    ]
    if let line = finding.line { options["line"] = .uint32(UInt32(clamping: line)) }
    if let column = finding.column { options["column"] = .uint32(UInt32(clamping: column)) }
    return options
  }

  /// One case for each file.
  private func report(isStrict: Bool) -> Report {
    var files = checked
    for finding in findings where !files.contains(finding.diagnostic.file) {
      files.append(finding.diagnostic.file)
    }
    let cases = files.map { file in
      Report.Case(
        relative(file), at: Report.Place(relative(file)),
        findings.filter { $0.diagnostic.file == file }.map(finding))
    }
    return Report(
      "lsregister lint", [Report.Suite("lsregister lint", cases)],
      failsOn: isStrict ? .warning : .failure)
  }

  private func finding(_ finding: Finding) -> Report.Finding {
    let diagnostic = finding.diagnostic
    let severity: Report.Severity =
      switch diagnostic.severity {
      case .note: .notice
      case .warning: .warning
      case .error: .failure
      }
    return Report.Finding(
      severity, "\(diagnostic.problem); \(diagnostic.consequence)", title: diagnostic.keyPath,
      at: Report.Place(relative(diagnostic.file), line: finding.line, column: finding.column))
  }

  private func relative(_ path: String) -> String {
    let start = folder.hasSuffix("/") ? folder : folder + "/"
    return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : path
  }
}

extension ReportRun {
  /// The run of this process, with a token that no file can know.
  static var ofThisProcess: ReportRun {
    var generator = SystemRandomNumberGenerator()
    let token = (0..<2).map { _ in String(generator.next(), radix: 16) }.joined()
    var seconds = time(nil)
    var parts = unsafe tm()
    _ = unsafe gmtime_r(&seconds, &parts)
    func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (year, month, day) = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
    let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
    let date = [year, month, day].map(padded).joined(separator: "-")
    let clock = [hour, minute, second].map(padded).joined(separator: ":")
    return ReportRun(start: "\(date)T\(clock)", token: token)
  }
}
