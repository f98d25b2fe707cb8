internal import FoundationEssentials
internal import LaunchRules

extension ReadingContext {
  /// The report about a file that cannot be used.
  struct Failure {
    var severity: Diagnostic.Severity = .warning
    /// Such as `the application was not registered`; the advice follows.
    var consequence: String
    /// The problem of a file whose contents exceed `largestContents`.
    var excess: String
    /// Converts the decoder's error into a problem and advice.
    var explain: (any Error) -> Refusal
  }

  /// Decodes the top level of a file. Nil when it cannot be read or exceeds the limit; the reason is
  /// reported.
  func decode<Contents: DecodableWithConfiguration>(
    _ type: Contents.Type, failure: Failure, admitted: () throws(Refusal) -> [UInt8]
  ) -> Contents? where Contents.DecodingConfiguration == ReadingContext {
    func report(_ problem: String, _ advice: String) {
      self.report(failure.severity, "", problem, "\(failure.consequence): \(advice)")
    }
    var contents: Contents?
    do {
      contents = try PropertyListDecoder().decode(
        type, from: Data(try admitted()), configuration: self)
    } catch {
      let refusal = error as? Refusal ?? failure.explain(error)
      report(refusal.problem, refusal.advice)
    }
    guard isExhausted else { return contents }
    report(failure.excess, "check where it comes from")
    return nil
  }
}

extension Diagnostic {
  /// The diagnostic for a file that cannot be opened or read.
  static func unreadable(_ path: String, _ problem: String, _ consequence: String) -> Self {
    Diagnostic(
      .warning, file: path, problem: problem,
      consequence: "\(consequence): make it a file that can be read")
  }
}
