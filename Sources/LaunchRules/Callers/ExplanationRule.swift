/// Decides what an explanation reveals to its caller.
package enum ExplanationRule {
  /// The steps that are about the query alone and reveal no handler.
  private static let ofQueries: Set = ["url", "format", "caller", "allowlist", "canOpen"]

  /// The steps for a caller that may not know the handler.
  package static func withoutHandler(_ steps: [ExplanationStep]) -> [ExplanationStep] {
    steps.filter { ofQueries.contains($0.step) }
  }
}
