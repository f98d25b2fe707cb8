/// Decides what an explanation reveals to its caller.
package enum ExplanationRule {
  /// The steps that are about the query alone and reveal no handler.
  private static let ofQueries: Set = ["url", "format", "caller", "allowlist", "canOpen"]

  /// Whether the caller may know the handler: an iOS application may know only the handlers of schemes that it has
  /// declared (R3.3), and never the browser (R3.9).
  /// - Parameters:
  ///   - caller: nil when the caller is no iOS application.
  ///   - canOpen: the answer to the caller's query.
  ///   - isWeb: whether the URL is a web URL, for which every query is answered with yes.
  package static func mayKnowHandler(
    _ caller: SandboxedCaller?, canOpen: Bool, isWeb: Bool
  ) -> Bool {
    caller == nil || canOpen && !isWeb
  }

  /// The steps for a caller that may not know the handler.
  package static func withoutHandler(_ steps: [ExplanationStep]) -> [ExplanationStep] {
    steps.filter { ofQueries.contains($0.step) }
  }

  /// The failure for a caller whose queries count against a quota, which explanations would circumvent (R3.8); nil
  /// for every other caller.
  package static func refusal(
    of caller: SandboxedCaller?, acting: ActingCaller, in registry: Registry
  ) -> OpenFailure? {
    guard caller != nil, case .identified(let own, _) = acting,
      registry.allowlist(of: own) == .legacyQuota
    else { return nil }
    return .notPermitted(
      "\(own) was linked before iOS 9: its queries count against a quota, so explanations are refused"
    )
  }
}
