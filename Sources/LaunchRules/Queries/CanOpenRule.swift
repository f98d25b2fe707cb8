/// Decides `canOpenURL` in the order of R3.3.
package enum CanOpenRule {
  /// - Parameters:
  ///   - scheme: nil when the text has no scheme, or is no valid URL (R2.5).
  ///   - quotas: changed only for a caller linked before iOS 9 (R3.8).
  package static func answer(
    scheme: URLScheme?, caller: ActingCaller, registry: Registry, quotas: inout LegacyQuotas
  ) -> CanOpenAnswer {
    guard let scheme else { return .no(.unparsable) }
    let allowlist = caller.identifier.flatMap(registry.allowlist)
    if allowlist != .unrestricted {
      if scheme.isWeb { return .yes(.web) }
      if registry.isClaimedBySystem(scheme) {
        return registry.hasHandler(for: scheme, opener: caller.identifier)
          ? .yes(.system) : .no(.notFound)
      }
    }
    if let refusal = refusal(scheme, caller, allowlist, registry, &quotas) { return .no(refusal) }
    return registry.hasHandler(for: scheme, opener: caller.identifier)
      ? .yes(.handled) : .no(.notFound)
  }

  /// Nil when the caller may query the scheme.
  private static func refusal(
    _ scheme: URLScheme, _ caller: ActingCaller, _ allowlist: QueryAllowlist?,
    _ registry: Registry, _ quotas: inout LegacyQuotas
  ) -> CanOpenAnswer.NoReason? {
    guard let identifier = caller.identifier else {
      return .notAllowed(scheme, hint: caller == .orphan ? .orphan : .unidentified)
    }
    guard let allowlist else {
      return .notAllowed(scheme, hint: .notRegistered(identifier))
    }
    switch allowlist {
    case .unrestricted: return nil
    case .legacyQuota:
      guard let application = registry.application(identifier) else { return nil }
      return quotas.admit(scheme, for: application) == .exceeded ? .quotaExceeded : nil
    case .listed(let schemes, _) where schemes.contains(scheme): return nil
    case .listed(_, let surplus):
      return .notAllowed(
        scheme, hint: surplus.contains(scheme) ? .beyondLimit(identifier) : .notListed(identifier))
    }
  }
}
