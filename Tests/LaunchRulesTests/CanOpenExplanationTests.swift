import LaunchRules
import Testing

@Suite struct `An explanation of canOpen` {
  @Test("tells every step") func steps() {
    let registry = Sample.registry([
      Sample.app("caller", queries: ["foo"]), Sample.app("a", claims: ["foo"], at: 2),
      Sample.app("b", claims: ["foo"], at: 1),
    ])
    let explanation = CanOpenRule.explanation(
      scheme: Sample.scheme("foo"), caller: .identified(Sample.id("caller"), .executable),
      registry: registry, quotas: LegacyQuotas())
    #expect(
      explanation == [
        ExplanationStep("url", "the scheme is foo"),
        ExplanationStep("caller", "caller: its executable belongs to the application"),
        ExplanationStep("allowlist", "LSApplicationQueriesSchemes lists 1 scheme"),
        ExplanationStep(
          "candidate",
          "a: installed most recently (CollisionPolicy last-installed); 'lsregister default' sets another choice"
        ),
        ExplanationStep(
          "candidate", "b: an equal claim; the setting CollisionPolicy prefers another"),
        ExplanationStep(
          "canOpen", "yes: the caller may ask, and an application handles the scheme"),
      ])
  }

  @Test(
    "names 20 candidates, and counts the others",
    arguments: [(20, nil), (21, "1 more; see: lsregister handlers foo")])
  func manyCandidates(_ count: Int, _ rest: String?) {
    let explanation = CanOpenRule.explanation(
      scheme: Sample.scheme("foo"), caller: .unidentified,
      registry: Sample.registry((1...count).map { Sample.app("a\($0)", claims: ["foo"]) }),
      quotas: LegacyQuotas())
    let candidates = explanation.filter { $0.step == "candidate" }.map(\.sentence)
    #expect(candidates.count == 20 + (rest == nil ? 0 : 1))
    #expect(candidates.last { $0.contains(" more; ") } == rest)
  }

  @Test("says what an unidentified caller can do") func unidentified() {
    let explanation = CanOpenRule.explanation(
      scheme: Sample.scheme("foo"), caller: .unidentified, registry: Registry(),
      quotas: LegacyQuotas())
    #expect(
      explanation == [
        ExplanationStep("url", "the scheme is foo"),
        ExplanationStep("caller", "not a registered application"),
        ExplanationStep("allowlist", "empty: the caller is not a known application"),
        ExplanationStep(
          "canOpen",
          "no: the caller may not ask; the caller is not a registered application; check in, be "
            + "started by launchservicesd, or name an application with option 'as'"),
      ])
  }

  @Test("ends early for what is no URL") func unparsable() {
    let explanation = CanOpenRule.explanation(
      scheme: nil, caller: .unidentified, registry: Registry(), quotas: LegacyQuotas())
    #expect(
      explanation == [
        ExplanationStep("url", "it has no scheme or cannot be parsed"),
        ExplanationStep("canOpen", "no: the text is not a valid URL"),
      ])
  }

  @Test("R3.8 shows a used-up quota") func quota() {
    let schemes = (1...50).map { "s\($0)" }
    let explanation = CanOpenRule.explanation(
      scheme: Sample.scheme("late"), caller: .assumed(Sample.id("old")),
      registry: Sample.registry([Sample.app("old", sdk: 8)]),
      quotas: LegacyQuotas([
        Sample.id("old"): LegacyQuota(stamp: "1.0.0 /apps/old.app/Info.plist", counted: schemes)
      ]))
    #expect(
      explanation == [
        ExplanationStep("url", "the scheme is late"),
        ExplanationStep("caller", "old, assumed with option 'as'"),
        ExplanationStep(
          "allowlist", "none: linked before iOS 9, at most 50 distinct schemes"),
        ExplanationStep("canOpen", "no: the caller has already asked about 50 other schemes"),
      ])
  }

  private static let registry = Sample.registry([
    Sample.app("caller", queries: ["foo", "nobody"]), Sample.app("a", claims: ["foo", "bar"]),
  ])

  static let codes: [(String?, ActingCaller, CanOpenCode?)] = [
    ("foo", .assumed(Sample.id("caller")), nil),
    ("bar", .assumed(Sample.id("caller")), .notListed),
    ("nobody", .assumed(Sample.id("caller")), .noApplication),
    ("foo", .assumed(Sample.id("stranger")), .notRegistered),
    ("foo", .unidentified, .unidentified), ("foo", .orphan, .unidentified),
    (nil, .unidentified, .invalidURL),
  ]

  @Test("has a word for why the answer is no", arguments: codes)
  func code(scheme: String?, caller: ActingCaller, code: CanOpenCode?) {
    var quotas = LegacyQuotas()
    let answer = CanOpenRule.answer(
      scheme: scheme.map(Sample.scheme), caller: caller, registry: Self.registry, quotas: &quotas)
    #expect(answer.code == code)
    #expect(answer.isYes == (code == nil))
  }
}
