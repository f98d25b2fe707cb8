/// One step of the explanation of a decision.
package struct ExplanationStep: Hashable, Sendable {
  package let step: String
  /// A sentence without its full stop.
  package let sentence: String

  package init(_ step: String, _ sentence: String) {
    self.step = step
    self.sentence = sentence
  }
}

extension CanOpenRule {
  /// Maximum number of handlers in an explanation.
  private static let mostCandidates = 20

  /// The steps of the answer of `canOpenURL`: `url`, `caller`, `allowlist`, a `candidate` for each of the
  /// best handlers, `canOpen`. Does not count against a quota.
  package static func explanation(
    scheme: URLScheme?, host: WebHost? = nil, caller: ActingCaller, registry: Registry,
    machines: MachineRules = MachineRules(), quotas: LegacyQuotas
  ) -> [ExplanationStep] {
    var quotas = quotas
    let answer = answer(
      scheme: scheme, host: host, caller: caller, registry: registry, machines: machines,
      quotas: &quotas)
    guard let scheme else {
      return [ExplanationStep("url", "it has no scheme or cannot be parsed")]
        + [ExplanationStep("canOpen", answer.sentence)]
    }
    let allowlist = caller.identifier.flatMap(registry.allowlist)
    var steps = [
      ExplanationStep("url", "the scheme is \(scheme)"),
      ExplanationStep("caller", caller.sentence),
      ExplanationStep(
        "allowlist", allowlist?.sentence ?? "empty: the caller is not a known application"),
    ]
    let candidates = registry.explainedCandidates(
      for: scheme, host: host, opener: registry.profile(of: caller.identifier),
      most: mostCandidates)
    steps += candidates.map { ExplanationStep("candidate", $0) }
    let more = registry.visibleCandidates(for: scheme, host: host).count - mostCandidates
    if more > 0 {
      steps.append(
        ExplanationStep("candidate", "\(more) more; see: lsregister handlers \(scheme)"))
    }
    return steps + [ExplanationStep("canOpen", answer.sentence)]
  }
}

extension ActingCaller {
  package var sentence: String {
    switch self {
    case .identified(let application, let how): "\(application): \(how)"
    case .assumed(let application): "\(application), assumed with option 'as'"
    case .orphan:
      "unknown: the caller descends from an application, but the processes between have ended"
    case .unidentified: "not a registered application"
    case .outsider(let outsider): "not a program of the user's session: \(outsider)"
    case .remote(let name): "\(name), another machine or a container"
    }
  }
}

extension QueryAllowlist {
  var sentence: String {
    switch self {
    case .unrestricted: "none: macOS applications may ask about every scheme"
    case .legacyQuota: "none: linked before iOS 9, at most \(LegacyQuota.limit) distinct schemes"
    case .listed(let schemes, let surplus):
      (schemes.count == 1
        ? "LSApplicationQueriesSchemes lists 1 scheme"
        : "LSApplicationQueriesSchemes lists \(schemes.count) schemes")
        + (surplus.isEmpty
          ? "" : "; \(surplus.count) more are ignored, because of the limit of its SDK")
    }
  }
}

extension CanOpenAnswer {
  /// The answer and its reason.
  package var sentence: String {
    switch self {
    case .yes(.web): "yes: http and https are always allowed"
    case .yes(.system): "yes: a system application claims the scheme, so no allowlist applies"
    case .yes(.handled): "yes: the caller may ask, and an application handles the scheme"
    case .yes(.sent(let machine)):
      "yes: the caller may ask, and URLs of the scheme are sent to \(machine.text)"
    case .no(.unparsable): "no: the text is not a valid URL"
    case .no(.notAllowed(_, let hint)): "no: the caller may not ask; \(hint)"
    case .no(.notFound): "no: no application handles the scheme (-10814)"
    case .no(.quotaExceeded):
      "no: the caller has already asked about \(LegacyQuota.limit) other schemes"
    }
  }
}
