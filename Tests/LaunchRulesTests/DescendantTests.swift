import LaunchRules
import Testing

@Suite("Whose descendant it is") struct DescendantTests {
  private static let first = Sample.id("com.example.first")
  private static let second = Sample.id("com.example.second")

  @Test("Nobody's while nothing was started") func nothing() {
    #expect(Descendants.ofNobody.caller == .unidentified)
  }

  @Test("That of the only application, however often it was started") func one() {
    var descendants = Descendants.ofNobody
    for _ in 0..<3 { descendants.started(Self.first, isSandboxed: true) }
    #expect(descendants.caller == .application(Self.first, .processTree))
  }

  @Test(
    "Not known of several; one sandboxed makes it sandboxed", arguments: [false, true],
    [false, true])
  func several(_ isFirst: Bool, _ isSecond: Bool) {
    var descendants = Descendants.ofNobody
    descendants.started(Self.first, isSandboxed: isFirst)
    descendants.started(Self.second, isSandboxed: isSecond)
    #expect(descendants.caller == .orphan(isSandboxed: isFirst || isSecond))
    descendants.started(Self.first, isSandboxed: false)
    #expect(descendants.caller == .orphan(isSandboxed: isFirst || isSecond))
  }

  @Test("May not act as another, and acts as nobody") func asAnother() throws {
    let orphan = Caller.orphan(isSandboxed: false)
    #expect(try ActingCaller.resolve(orphan, as: nil) == .orphan)
    #expect(ActingCaller.orphan.identifier == nil)
    let error = #expect(throws: ActingNotPermitted.self) {
      try ActingCaller.resolve(orphan, as: Self.first)
    }
    #expect(
      error?.description == "option 'as' names com.example.first, but the caller descends from an "
        + "application; only callers without an identity of their own may use it, so leave it out")
  }

  @Test("Has an empty allowlist, and is told why") func allowlist() throws {
    var quotas = LegacyQuotas()
    let scheme = try #require(URLScheme("secret"))
    let answer = CanOpenRule.answer(
      scheme: scheme, caller: .orphan, registry: Registry(policy: .lastInstalled), quotas: &quotas)
    #expect(answer == .no(.notAllowed(scheme, hint: .orphan)))
    #expect(answer.hint?.description.hasPrefix("the caller descends from an application") == true)
  }
}
