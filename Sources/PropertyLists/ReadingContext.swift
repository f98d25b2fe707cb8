internal import LaunchRules

/// The state of reading one property list: its variables, the diagnostics, and the remaining allowance.
final class ReadingContext {
  let location: BundleLocation
  /// Whether the property list belongs to a system application.
  let isSystem: Bool
  private let variables: BuildVariables
  private(set) var diagnostics: [Diagnostic] = []
  /// The hash values of the diagnostics beyond the limit.
  private var omitted: Set<Int> = []
  private var allowance = ReadingContext.largestContents

  /// Maximum amount of text, in bytes; each value counts for `costOfValue` more. A binary property list may
  /// refer to one value from many places, so that a small file expands to a huge one; real files stay far
  /// below the limit.
  static let largestContents = 8 << 20
  static let costOfValue = 64
  /// Limit that keeps the list readable.
  static let mostDiagnostics = 200

  init(location: BundleLocation, variables: BuildVariables, isSystem: Bool = false) {
    self.location = location
    self.isSystem = isSystem
    self.variables = variables
  }

  /// Whether more was read than `largestContents`. Then no more values are read.
  var isExhausted: Bool { allowance < 0 }

  func spend(values: Int = 1, bytes: Int = 0) {
    guard !isExhausted else { return }
    let (cost, overflow) = values.multipliedReportingOverflow(by: Self.costOfValue)
    allowance = overflow ? -1 : allowance - bytes - cost
  }

  func expand(_ text: String) -> BuildVariables.Expansion { variables.expand(text) }

  /// Adds a diagnostic, unless the list contains it already. Errors are always kept, other diagnostics up to
  /// the limit.
  func report(
    _ severity: Diagnostic.Severity, _ keyPath: String, _ problem: String,
    _ consequence: String
  ) {
    let diagnostic = Diagnostic(
      severity, file: location.propertyList, keyPath: keyPath, problem: problem,
      consequence: consequence)
    guard !diagnostics.contains(diagnostic) else { return }
    guard severity == .error || diagnostics.count < Self.mostDiagnostics else {
      omitted.insert(diagnostic.hashValue)
      return
    }
    diagnostics.append(diagnostic)
  }

  /// Returns all diagnostics, and a last one about those that were left out.
  func finish() -> [Diagnostic] {
    if !omitted.isEmpty {
      diagnostics.append(
        Diagnostic(
          .warning, file: location.propertyList,
          problem: "\(omitted.count) more findings are left out",
          consequence: "they are not listed; correct the ones above first"))
    }
    return diagnostics
  }
}
