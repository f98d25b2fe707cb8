internal import FoundationEssentials
internal import LaunchRules

extension ReadingContext {
  /// Why a file as a whole is of no use, and what follows from that.
  struct Failure {
    var severity: Diagnostic.Severity = .warning
    /// Such as `the application was not registered`; advice follows.
    var consequence: String
    /// What the file holds, when that is more than `largestContents`.
    var excess: String
    /// Makes a problem and advice of the decoder's error.
    var explain: (any Error) -> Refusal
  }

  /// The top level of a file. Nil when it cannot be read or holds too much; the reason is reported.
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
  /// About a file that cannot be opened or read.
  static func unreadable(_ path: String, _ problem: String, _ consequence: String) -> Self {
    Diagnostic(
      .warning, file: path, problem: problem,
      consequence: "\(consequence): make it a file that can be read")
  }
}
