internal import LaunchRules

/// A build variable without a value in a key that is read.
package struct OpenVariable: Hashable, Sendable {
  package let name: String
  /// The path of the property list or of the entitlements.
  package let file: String
  package let keyPath: String
}

/// The state of reading one property list: its variables, the diagnostics, and the remaining allowance.
final class ReadingContext {
  let location: BundleLocation
  /// Whether the property list belongs to a system application.
  let isSystem: Bool
  let variables: BuildVariables
  private(set) var diagnostics: [Diagnostic] = []
  /// The variables without a value, each with the place of its first use.
  private(set) var openVariables: [OpenVariable] = []
  /// The places of claimed schemes that are no schemes.
  private(set) var refusedSchemes: [String] = []
  /// The keys of the top level that were read, or searched.
  private(set) var readKeys: Set<String> = []
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

  func recordOpen(_ expansion: BuildVariables.Expansion, at keyPath: String) {
    for name in expansion.unresolved where openVariables.count < Self.mostDiagnostics {
      guard !openVariables.contains(where: { $0.name == name }) else { continue }
      openVariables.append(
        OpenVariable(name: name, file: location.propertyList, keyPath: keyPath))
    }
  }

  func recordRead(_ key: String) { readKeys.insert(key) }

  func recordRefusedScheme(at keyPath: String) {
    if refusedSchemes.count < Self.mostDiagnostics { refusedSchemes.append(keyPath) }
  }

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
