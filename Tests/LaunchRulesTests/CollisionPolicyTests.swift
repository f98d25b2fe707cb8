import LaunchRules
import Testing

@Suite struct `A collision policy` {
  private static let two = [
    Sample.app("a", claims: ["x"], at: 1), Sample.app("b", claims: ["x"], at: 2),
  ]

  @Test("R2.14 last installed") func last() {
    let registry = Sample.registry(Self.two, policy: .lastInstalled)
    #expect(registry.order(of: "x") == ["b", "a"])
    #expect(registry.reasons(for: "x") == [.installedLast, .behindByPolicy])
  }

  @Test("R2.14 last installed falls back to the earlier one when it is removed") func fallsBack() {
    var registry = Sample.registry(Self.two)
    registry.remove(propertyList: "/apps/b.app/Info.plist")
    #expect(registry.handler(of: "x") == "a")
    #expect(registry.reasons(for: "x") == [.onlyClaim])
  }

  @Test("R2.14 first installed") func first() {
    let registry = Sample.registry(Self.two, policy: .firstInstalled)
    #expect(registry.order(of: "x") == ["a", "b"])
    #expect(registry.reasons(for: "x") == [.installedFirst, .behindByPolicy])
  }

  @Test("R2.14 claims with and without a role are not alike") func roles() {
    let registry = Sample.registry(
      [
        Sample.app("a", claims: ["x"], role: .none, at: 1), Sample.app("b", claims: ["x"], at: 1),
      ], policy: .ambiguousIsError)
    #expect(registry.handler(of: "x") == "b")
    let ranked = Sample.registry(
      [
        Sample.app("a", claims: ["x"], rank: .alternate, at: 1),
        Sample.app("b", claims: ["x"], at: 1),
      ], policy: .ambiguousIsError)
    #expect(ranked.handler(of: "x") == "b")
  }

  @Test("R2.14 extreme times of installation are times like others")
  func extremes() {
    let extremes = [
      Sample.app("old", claims: ["x"], at: .min), Sample.app("new", claims: ["x"], at: .max),
    ]
    #expect(Sample.registry(extremes).handler(of: "x") == "new")
    #expect(Sample.registry(extremes, policy: .firstInstalled).handler(of: "x") == "old")
  }

  @Test(
    "R2.14 ties go by identifier", arguments: [CollisionPolicy.lastInstalled, .firstInstalled])
  func ties(_ policy: CollisionPolicy) {
    let registry = Sample.registry(
      ["c", "a", "b"].map { Sample.app($0, claims: ["x"], at: 5) }, policy: policy)
    #expect(registry.order(of: "x") == ["a", "b", "c"])
    #expect(
      registry.reasons(for: "x") == [.firstIdentifier, .laterIdentifier, .laterIdentifier])
  }

  @Test("R2.14 an ambiguity names no claim without a role, and none of another rank") func alike() {
    let worse = [
      Sample.app("c", claims: ["x"], role: .none, at: 1),
      Sample.app("c", claims: ["x"], rank: .alternate, at: 1),
    ]
    for other in worse {
      let registry = Sample.registry(
        [Sample.app("a", claims: ["x"], at: 1), Sample.app("b", claims: ["x"], at: 1), other],
        policy: .ambiguousIsError)
      #expect(registry.route(Sample.scheme("x")) == .ambiguous([Sample.id("a"), Sample.id("b")]))
    }
  }

  @Test("U7 ambiguous is an error, and names those that claim alike") func ambiguous() {
    let lower = Sample.app("c", claims: ["x"], rank: .alternate)
    let registry = Sample.registry(Self.two.reversed() + [lower], policy: .ambiguousIsError)
    #expect(registry.route(Sample.scheme("x")) == .ambiguous([Sample.id("a"), Sample.id("b")]))
    #expect(registry.reasons(for: "x") == [.ambiguous, .ambiguous, .lowerRank])
  }

  @Test("U7 the user's choice, a system application or a better rank ends the ambiguity")
  func decided() {
    let policy = CollisionPolicy.ambiguousIsError
    let chosen = Sample.registry(Self.two, policy: policy, bound: ["x": "a"])
    #expect(chosen.handler(of: "x") == "a")
    let system = Sample.app("s", claims: ["x"], system: true)
    #expect(Sample.registry(Self.two + [system], policy: policy).handler(of: "x") == "s")
    let owner = Sample.app("o", claims: ["x"], rank: .owner)
    #expect(Sample.registry(Self.two + [owner], policy: policy).handler(of: "x") == "o")
    #expect(Sample.registry([owner], policy: policy).handler(of: "x") == "o")
  }

  @Test("R2.14 a seed gives the same order in every run, and another seed another order")
  func seeded() {
    let many = ["a", "b", "c", "d", "e"].map { Sample.app($0, claims: ["x"]) }
    let orders = (0..<3 as Range<UInt64>).map { seed in
      Sample.registry(many, policy: .seededRandom(seed)).order(of: "x").joined()
    }
    #expect(orders == ["eabdc", "daceb", "dcbea"])
    let reasons = Sample.registry(many, policy: .seededRandom(0)).reasons(for: "x")
    #expect(reasons == [.drawn] + Array(repeating: .behindByPolicy, count: 4))
  }

  @Test("has a name for settings and options, and takes the seed where it needs one")
  func names() {
    let names = ["last-installed", "first-installed", "ambiguous-is-error", "seeded-random"]
    #expect(CollisionPolicy.Name.allCases.map(\.rawValue) == names)
    #expect(
      CollisionPolicy.Name.allCases.map { CollisionPolicy($0, seed: 7) }
        == [.lastInstalled, .firstInstalled, .ambiguousIsError, .seededRandom(7)])
  }

  @Test("R2.14 claims of another rank do not take part in an ambiguity") func ambiguousFew() {
    let registry = Sample.registry(
      [
        Sample.app("a", claims: ["x"]), Sample.app("b", claims: ["x"]),
        Sample.app("c", claims: ["x"], rank: .alternate),
        Sample.app("d", claims: ["x"], role: .none),
      ], policy: .ambiguousIsError)
    #expect(
      registry.route(Sample.scheme("x")) == .ambiguous([Sample.id("a"), Sample.id("b")]))
  }
}
