internal import LaunchRules

/// What accompanies the reading of one property list: its variables, what was found odd, and how
/// much more may be read.
final class ReadingContext {
  let location: BundleLocation
  /// The property list of a system application.
  let isSystem: Bool
  private let variables: BuildVariables
  private(set) var diagnostics: [Diagnostic] = []
  private var omitted = 0
  private var allowance = ReadingContext.largestContents

  /// In bytes of text, each value counting for `costOfValue` more. A binary property list may
  /// refer to one value from many places, so a small file can stand for an endless one; an honest
  /// one never comes near this.
  static let largestContents = 8 << 20
  static let costOfValue = 64
  /// More than a person would read.
  static let mostDiagnostics = 200

  init(location: BundleLocation, variables: BuildVariables, isSystem: Bool = false) {
    self.location = location
    self.isSystem = isSystem
    self.variables = variables
  }

  /// True once more was read than any application declares; nothing is read from then on.
  var isExhausted: Bool { allowance < 0 }

  func spend(values: Int = 1, bytes: Int = 0) {
    guard !isExhausted else { return }
    let (cost, overflow) = values.multipliedReportingOverflow(by: Self.costOfValue)
    allowance = overflow ? -1 : allowance - bytes - cost
  }

  func expand(_ text: String) -> BuildVariables.Expansion { variables.expand(text) }

  /// Says each thing once. Errors are always kept; of the rest, as many as a person would read.
  func report(
    _ severity: Diagnostic.Severity, _ keyPath: String, _ problem: String,
    _ consequence: String
  ) {
    guard severity == .error || diagnostics.count < Self.mostDiagnostics else {
      omitted += 1
      return
    }
    let diagnostic = Diagnostic(
      severity, file: location.propertyList, keyPath: keyPath, problem: problem,
      consequence: consequence)
    if !diagnostics.contains(diagnostic) { diagnostics.append(diagnostic) }
  }

  /// Everything found, with a last line for what was left out.
  func finish() -> [Diagnostic] {
    if omitted > 0 {
      diagnostics.append(
        Diagnostic(
          .warning, file: location.propertyList,
          problem: "\(omitted) more oddities were found",
          consequence: "they are not listed; correct the ones above first"))
    }
    return diagnostics
  }
}
