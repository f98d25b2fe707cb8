import LaunchRules
import Testing

@Suite struct `Why an application opens a document` {
  private func reasons(
    _ applications: [InstalledApplication], _ policy: CollisionPolicy
  ) -> [HandlerReason] {
    let registry = Sample.registry([Sample.core] + applications, policy: policy)
    let facts = DocumentFacts(name: "a.txt", kind: .file(isExecutable: false))
    let subject = DocumentSubject(registry.kind(of: facts), file: "file:///a.txt")
    return registry.documentCandidates(subject).map(\.reason)
  }

  @Test(
    "R2.14 of claims of one time the first identifier counts, unless the policy requires a choice",
    arguments: [
      (CollisionPolicy.lastInstalled, [HandlerReason.firstIdentifier, .laterIdentifier]),
      (.firstInstalled, [.firstIdentifier, .laterIdentifier]),
      (.ambiguousIsError, [.ambiguous, .ambiguous]),
    ])
  func alike(_ policy: CollisionPolicy, _ expected: [HandlerReason]) {
    let applications = ["a", "b"].map { Sample.opening($0, "public.plain-text", at: 5) }
    #expect(reasons(applications, policy) == expected)
  }

  @Test("R2.14 claims of two times are not alike") func twoTimes() {
    let applications = [
      Sample.opening("a", "public.plain-text", at: 1),
      Sample.opening("b", "public.plain-text", at: 2),
    ]
    #expect(reasons(applications, .lastInstalled) == [.installedLast, .behindByPolicy])
    #expect(reasons(applications, .firstInstalled) == [.installedFirst, .behindByPolicy])
  }

  @Test("R1.18 R2.14 a claim of a lower rank is not among those to choose from")
  func ranks() {
    let applications = [
      Sample.opening("a", "public.plain-text", at: 5),
      Sample.opening("b", "public.plain-text", at: 5),
      Sample.opening("c", "public.plain-text", rank: .alternate, at: 5),
      Sample.opening("d", "public.plain-text", isFallback: true, at: 5),
    ]
    #expect(
      reasons(applications, .ambiguousIsError) == [.ambiguous, .ambiguous, .lowerRank, .fallback])
  }
}
