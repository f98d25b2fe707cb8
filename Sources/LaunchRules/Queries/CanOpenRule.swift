/// Decides `canOpenURL` in the order of R3.3.
package enum CanOpenRule {
  /// - Parameters:
  ///   - scheme: nil when the text has no scheme, or is no valid URL (R2.5).
  ///   - host: of a web URL.
  ///   - machines: the rules of the user, by which another machine may open the URL.
  ///   - quotas: changed only for a caller linked before iOS 9 (R3.8).
  package static func answer(
    scheme: URLScheme?, host: WebHost? = nil, caller: ActingCaller, registry: Registry,
    machines: MachineRules = MachineRules(), quotas: inout LegacyQuotas
  ) -> CanOpenAnswer {
    guard let scheme else { return .no(.unparsable) }
    let allowlist = caller.identifier.flatMap(registry.allowlist)
    if allowlist != .unrestricted {
      if scheme.isWeb { return .yes(.web) }
      if registry.isClaimedBySystem(scheme) {
        return presence(scheme, host, caller, registry, machines, handled: .system)
      }
    }
    if let refusal = refusal(scheme, caller, allowlist, registry, &quotas) { return .no(refusal) }
    return presence(scheme, host, caller, registry, machines, handled: .handled)
  }

  private static func presence(
    _ scheme: URLScheme, _ host: WebHost?, _ caller: ActingCaller, _ registry: Registry,
    _ machines: MachineRules, handled: CanOpenAnswer.YesReason
  ) -> CanOpenAnswer {
    if let rule = machines.rule(for: scheme, host: host) { return .yes(.sent(rule.machine)) }
    return registry.hasHandler(for: scheme, opener: caller.identifier)
      ? .yes(handled) : .no(.notFound)
  }

  /// The hint for a caller that is no known application.
  private static func hint(without caller: ActingCaller) -> CanOpenAnswer.Hint {
    switch caller {
    case .orphan: .orphan
    case .outsider(let outsider): .outsider(outsider)
    case .identified, .assumed, .unidentified, .remote: .unidentified
    }
  }

  /// Nil when the caller may query the scheme.
  private static func refusal(
    _ scheme: URLScheme, _ caller: ActingCaller, _ allowlist: QueryAllowlist?,
    _ registry: Registry, _ quotas: inout LegacyQuotas
  ) -> CanOpenAnswer.NoReason? {
    guard let identifier = caller.identifier else {
      return .notAllowed(scheme, hint: hint(without: caller))
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
