/// The results of a run of checks, for people, for CI services and for other programs.
///
/// A report has suites, a suite has cases, and a case has findings. A case without a finding that fails it has passed.
/// Pure: times, host names and tokens come from the caller.
package struct Report: Hashable, Sendable {
  /// The name of the program that checked, such as `lstest`.
  package var name: String
  /// In the order of the run.
  package var suites: [Suite]
  /// The least severe finding that fails a case: `failure`, or `warning` for a strict run.
  package var failsOn: Severity

  package init(_ name: String, _ suites: [Suite] = [], failsOn: Severity = .failure) {
    self.name = name
    self.suites = suites
    self.failsOn = failsOn
  }

  /// The cases of one file, scenario or site.
  package struct Suite: Hashable, Sendable {
    /// The same in each run, because CI services compare runs by it.
    package var name: String
    /// The file that the suite is about, relative to the folder of the run where possible.
    package var file: String?
    package var cases: [Case]

    package init(_ name: String, file: String? = nil, _ cases: [Case] = []) {
      self.name = name
      self.file = file
      self.cases = cases
    }
  }

  /// One check.
  package struct Case: Hashable, Sendable {
    /// The same in each run.
    package var name: String
    /// The place to look at when no finding has a place of its own.
    package var place: Place?
    package var findings: [Finding]
    /// Why the check was not carried out; nil when it was.
    package var skipped: String?
    /// The duration of the check; nil when it was not measured.
    package var duration: Duration?
    /// Lines that programs printed during the check.
    package var output: [String]

    package init(
      _ name: String, at place: Place? = nil, _ findings: [Finding] = [], skipped: String? = nil,
      duration: Duration? = nil, output: [String] = []
    ) {
      self.name = name
      self.place = place
      self.findings = findings
      self.skipped = skipped
      self.duration = duration
      self.output = output
    }
  }

  /// One remark of a check.
  package struct Finding: Hashable, Sendable {
    package var severity: Severity
    /// One sentence without its full stop: what is wrong, and what to do.
    package var message: String
    /// A few words for a heading; empty for none.
    package var title: String
    /// The place in a file; nil for the place of the case.
    package var place: Place?
    /// More lines for readers, such as the steps of a decision.
    package var details: [String]

    package init(
      _ severity: Severity, _ message: String, title: String = "", at place: Place? = nil,
      details: [String] = []
    ) {
      self.severity = severity
      self.message = message
      self.title = title
      self.place = place
      self.details = details
    }
  }

  /// The weight of a finding.
  package enum Severity: Int, Comparable, Hashable, Sendable {
    case notice, warning
    /// What was checked is not as it should be.
    case failure
    /// The check could not be carried out.
    case error

    package static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
  }

  /// A place in a file.
  package struct Place: Hashable, Sendable {
    /// A path, relative to the folder of the run where possible.
    package var file: String
    /// From 1; nil for the whole file.
    package var line: Int?
    /// From 1, in characters; nil for the whole line.
    package var column: Int?

    package init(_ file: String, line: Int? = nil, column: Int? = nil) {
      self.file = file
      self.line = line
      self.column = column
    }

    /// `FILE:LINE:COLUMN`, the form that editors understand.
    package var description: String {
      ([file] + [line, line == nil ? nil : column].compactMap { $0.map(String.init) })
        .joined(separator: ":")
    }
  }
}

// MARK: - Results

extension Report {
  /// How a case ended.
  package enum Outcome: Hashable, Sendable { case passed, skipped, failed, error }

  package func outcome(of aCase: Case) -> Outcome {
    if aCase.skipped != nil { return .skipped }
    guard let worst = aCase.findings.map(\.severity).max(), worst >= failsOn else { return .passed }
    return worst == .error ? .error : .failed
  }

  /// Whether no case failed and none could not be carried out.
  package var passes: Bool {
    !cases.contains { [.failed, .error].contains(outcome(of: $0)) }
  }

  package var cases: [Case] { suites.flatMap(\.cases) }

  func count(_ outcome: Outcome, in cases: [Case]) -> Int {
    cases.count { self.outcome(of: $0) == outcome }
  }

  /// The findings that fail the case.
  func failing(_ aCase: Case) -> [Finding] {
    aCase.skipped == nil ? aCase.findings.filter { $0.severity >= failsOn } : []
  }

  /// The findings that do not fail the case.
  func remarks(_ aCase: Case) -> [Finding] { aCase.findings.filter { $0.severity < failsOn } }
}
