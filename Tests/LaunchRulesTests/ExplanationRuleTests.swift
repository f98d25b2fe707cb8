import LaunchRules
import Testing

@Suite("What an explanation reveals") struct ExplanationRuleTests {
  private let phone = Sample.app("phone", sdk: 9)
  private let oldest = Sample.app("oldest", sdk: 8)
  private let mac = Sample.app("mac", on: .macOS)
  private var registry: Registry { Sample.registry([phone, oldest, mac]) }

  private func caller(_ application: InstalledApplication) -> Caller {
    .application(application.identifier, .checkedIn)
  }

  @Test(
    "R3.3 R3.9 an iOS application knows the handlers of declared schemes, and never the browser")
  func handler() {
    let sandboxed = registry.sandboxed(caller(phone))
    #expect(AccessRule.mayKnowHandler(sandboxed, canOpen: true, isWeb: false))
    #expect(!AccessRule.mayKnowHandler(sandboxed, canOpen: false, isWeb: false))
    #expect(!AccessRule.mayKnowHandler(sandboxed, canOpen: true, isWeb: true))
    for other in [caller(mac), .unidentified] {
      for canOpen in [true, false] {
        #expect(
          AccessRule.mayKnowHandler(
            registry.sandboxed(other), canOpen: canOpen, isWeb: true))
      }
    }
  }

  @Test("Without the handler the steps about the query stay") func steps() {
    let all = ["url", "format", "caller", "allowlist", "candidate", "handler", "canOpen", "open"]
    #expect(
      ExplanationRule.withoutHandler(all.map { ExplanationStep($0, "") }).map(\.step)
        == ["url", "format", "caller", "allowlist", "canOpen"])
  }

  @Test("R3.8 an application with a quota gets no explanation; the user's tools get one as it")
  func quota() {
    func refusal(_ caller: Caller, _ acting: ActingCaller) -> OpenFailure? {
      AccessRule.explanationRefusal(of: registry.sandboxed(caller), acting: acting, in: registry)
    }
    #expect(
      refusal(caller(oldest), .identified(oldest.identifier, .checkedIn))
        == .notPermitted(
          "oldest was linked before iOS 9: its queries count against a quota, so explanations are refused"
        ))
    #expect(refusal(caller(phone), .identified(phone.identifier, .checkedIn)) == nil)
    #expect(refusal(.unidentified, .assumed(oldest.identifier)) == nil)
    #expect(refusal(.orphan(isSandboxed: true), .orphan) == nil)
  }

  @Test("R4.15 an iOS application cannot forbid the question to the user") func interactive() {
    let sandboxed = registry.sandboxed(caller(phone))
    #expect(ConfirmationRule.isAsked(isInteractive: false, by: sandboxed))
    #expect(!ConfirmationRule.isAsked(isInteractive: false, by: nil))
    #expect(ConfirmationRule.isAsked(isInteractive: true, by: nil))
  }

  @Test("R4.11 a URL that comes back is refused, and one that is opened too often") func loops() {
    let scheme = Sample.scheme("foo")
    func verdict(
      _ wasBridged: Bool = false, hops: Int? = nil, canLoop: Bool = false, isOver: Bool = false
    ) -> RedirectLoopRule.Verdict {
      RedirectLoopRule.decide(
        scheme,
        RedirectLoopRule.Evidence(
          wasBridged: wasBridged, hops: hops.map { BridgeHops(scheme, count: $0) },
          canLoop: canLoop), isOver: isOver)
    }
    let back = RedirectLoopRule.Verdict.comesBack(
      reason: "the desktop application for the scheme foo opens the URL with Launch Services again;"
        + " choose another application with: gio mime x-scheme-handler/foo ID")
    #expect(verdict() == .allowed)
    #expect(verdict(true) == back)
    #expect(verdict(hops: BridgeHops.most - 1) == .allowed)
    #expect(verdict(hops: BridgeHops.most) == back)
    #expect(verdict(isOver: true) == .allowed)
    #expect(verdict(canLoop: true) == .allowed)
    guard case .repeats = verdict(canLoop: true, isOver: true) else {
      Issue.record("\(verdict(canLoop: true, isOver: true))")
      return
    }
  }
}
