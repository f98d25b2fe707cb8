import LaunchRules
import Testing

@Suite struct `Who gets a scheme` {
  @Test("T2.1 R2.2 an upper-case scheme reaches the app that claims it", arguments: platforms)
  func ignoresCase(_ platform: Platform) {
    let registry = Sample.registry([Sample.app("a", claims: ["myapp"], on: platform)])
    #expect(registry.handler(of: "MYAPP") == "a")
    #expect(registry.reasons(for: "myapp") == [.onlyClaim])
  }

  @Test("T2.2 R2.8 a reserved scheme goes to the system application", arguments: platforms)
  func reserved(_ platform: Platform) {
    let registry = Sample.registry([
      Sample.app("a", claims: ["mailto"], rank: .owner, on: platform, at: 9),
      Sample.app("mail", claims: ["mailto"], rank: .alternate, on: platform, system: true),
    ])
    #expect(registry.order(of: "mailto") == ["mail", "a"])
    #expect(registry.reasons(for: "mailto") == [.system, .behindSystem])
  }

  @Test("T2.2 R2.15 on macOS the default decides, also over the system application")
  func defaultDecides() {
    let registry = Sample.registry(
      [
        Sample.app("a", claims: ["mailto"], on: .macOS),
        Sample.app("b", claims: ["mailto"], on: .macOS, at: 9),
        Sample.app("mail", claims: ["mailto"], on: .macOS, system: true),
      ], bound: ["mailto": "a"])
    #expect(registry.order(of: "mailto") == ["a", "mail", "b"])
    #expect(registry.reasons(for: "mailto") == [.userChoice, .system, .behindUserChoice])
  }

  @Test("T2.2 R2.8 on iOS the user's choice without entitlement comes after the system application")
  func choiceAfterSystem() {
    let registry = Sample.registry(
      [
        Sample.app("a", claims: ["mailto"]), Sample.app("b", claims: ["mailto"], at: 9),
        Sample.app("mail", claims: ["mailto"], system: true),
      ], bound: ["mailto": "a"])
    #expect(registry.order(of: "mailto") == ["mail", "a", "b"])
    #expect(
      registry.reasons(for: "mailto") == [.system, .userChoiceAfterSystem, .behindSystem])
  }

  @Test("R2.8 the user may choose between system applications") func choiceOfSystem() {
    let registry = Sample.registry(
      [
        Sample.app("mail", claims: ["mailto"], system: true),
        Sample.app("post", claims: ["mailto"], system: true, at: 9),
      ], bound: ["mailto": "mail"])
    #expect(registry.order(of: "mailto") == ["mail", "post"])
    #expect(registry.reasons(for: "mailto") == [.userChoice, .system])
  }

  @Test("T2.3 what is no scheme is no claim") func noScheme() {
    let registry = Sample.registry([Sample.app("a", claims: ["1app", "app1"])])
    #expect(URLScheme("1app") == nil)
    #expect(registry.handler(of: "app1") == "a")
  }

  @Test("T2.4 R2.14 of two that claim alike exactly one gets it", arguments: platforms)
  func oneOfTwo(_ platform: Platform) {
    let registry = Sample.registry([
      Sample.app("a", claims: ["x"], on: platform, at: 2),
      Sample.app("b", claims: ["x"], on: platform, at: 1),
    ])
    #expect(registry.handler(of: "x") == "a")
    #expect(registry.reasons(for: "x") == [.installedLast, .behindByPolicy])
  }

  @Test("T2.6 nobody claims it") func notFound() {
    let registry = Sample.registry([Sample.app("a", claims: ["x"])])
    #expect(registry.route(Sample.scheme("zz")) == .notFound)
    #expect(registry.candidates(for: Sample.scheme("zz")) == [])
  }

  @Test("R1.6 a claim with the role None comes last, whatever its rank") func roleNone() {
    let registry = Sample.registry([
      Sample.app("a", claims: ["x"], role: .none, rank: .owner, at: 9),
      Sample.app("b", claims: ["x"], rank: .none),
    ])
    #expect(registry.order(of: "x") == ["b", "a"])
    #expect(registry.reasons(for: "x") == [.hasRole, .roleNone])
  }

  @Test("R1.6 a claim with the role None is still a claim") func roleNoneAlone() {
    let registry = Sample.registry([Sample.app("a", claims: ["x"], role: .none)])
    #expect(registry.handler(of: "x") == "a")
  }

  @Test("U8 LSHandlerRank breaks ties before the time of installation does") func rank() {
    let registry = Sample.registry([
      Sample.app("none", claims: ["x"], rank: .none, at: 9),
      Sample.app("alternate", claims: ["x"], rank: .alternate, at: 8),
      Sample.app("default", claims: ["x"], at: 7),
      Sample.app("owner", claims: ["x"], rank: .owner, at: 6),
    ])
    #expect(registry.order(of: "x") == ["owner", "default", "alternate", "none"])
    #expect(registry.reasons(for: "x") == [.betterRank, .lowerRank, .lowerRank, .lowerRank])
  }

  @Test("R1.3 of two URL types that claim one scheme the first counts") func twoTypes() {
    var twice = Sample.app("a", claims: ["x"], rank: .owner)
    twice.declaration.urlTypes.append(
      URLTypeDeclaration(role: .none, rank: .none, schemes: [Sample.scheme("x")]))
    let registry = Sample.registry([twice, Sample.app("b", claims: ["x"], at: 9)])
    #expect(registry.order(of: "x") == ["a", "b"])
  }

  @Test(
    "R2.10 a claim on a scheme that is never dispatched is not routed",
    arguments: ["data", "about", "javascript", "blob"])
  func neverDispatched(_ scheme: String) {
    var registry = Sample.registry([Sample.app("a", claims: [scheme], system: true)])
    #expect(registry.route(Sample.scheme(scheme)) == .notFound)
    #expect(!registry.isClaimedBySystem(Sample.scheme(scheme)))
    let generation = registry.generation
    let didBind = registry.bind(Sample.scheme(scheme), to: Sample.id("a"))
    #expect(!didBind)
    #expect(registry.generation == generation)
  }

  @Test("the order of reasons is the order of preference, and each has its own sentence")
  func reasons() {
    #expect(HandlerReason.userChoice < .system)
    #expect(HandlerReason.lowerRank < .roleNone)
    #expect(
      Set(HandlerReason.allCases.map(\.description)).count == HandlerReason.allCases.count)
    #expect(
      HandlerReason.system.description == "a system application; the scheme is reserved for it")
  }
}

private let platforms: [Platform] = [.iOS, .macOS]
