import LaunchRules
import Testing

@Suite struct `The user's choice of a handler` {
  @Test("R2.15 comes before every other claim", arguments: [Platform.iOS, .macOS])
  func first(_ platform: Platform) {
    let registry = Sample.registry(
      [
        Sample.app("a", claims: ["x"], role: .none, rank: .none, on: platform),
        Sample.app("b", claims: ["x"], rank: .owner, on: platform, at: 9),
      ], bound: ["x": "a"])
    #expect(registry.order(of: "x") == ["a", "b"])
    #expect(registry.reasons(for: "x") == [.userChoice, .behindUserChoice])
  }

  @Test("R2.17 may be a macOS application that does not claim the scheme") func withoutClaim() {
    let registry = Sample.registry([Sample.app("a", on: .macOS)], bound: ["x": "a"])
    let candidates = registry.candidates(for: Sample.scheme("x"))
    #expect(candidates.map(\.identifier.text) == ["a"])
    #expect(candidates.map(\.claimsScheme) == [false])
  }

  @Test("R2.17 counts for an iOS application only if it claims the scheme") func iOSWithoutClaim() {
    var registry = Sample.registry([Sample.app("a", at: 1)], bound: ["x": "a"])
    #expect(registry.route(Sample.scheme("x")) == .notFound)
    registry.install(Sample.app("a", claims: ["x"], at: 1))
    registry.install(Sample.app("b", claims: ["x"], at: 9))
    #expect(registry.handler(of: "x") == "a")
  }

  @Test("R2.18 waits for an application that is not installed yet") func waits() {
    var registry = Sample.registry([Sample.app("b", claims: ["x"])], bound: ["x": "a"])
    #expect(registry.handler(of: "x") == "b")
    registry.install(Sample.app("a", on: .macOS))
    #expect(registry.handler(of: "x") == "a")
    registry.remove(propertyList: "/apps/a.app/Info.plist")
    #expect(registry.order(of: "x") == ["b"])
    #expect(registry.bindings == [Sample.scheme("x"): Sample.id("a")])
  }

  @Test("R2.18 can be changed and removed") func changes() {
    var registry = Sample.registry([
      Sample.app("a", claims: ["x"], on: .macOS), Sample.app("b", claims: ["x"], on: .macOS, at: 9),
      Sample.app("c", on: .macOS),
    ])
    let generation = registry.generation
    for (identifier, order) in [("a", ["a", "b"]), ("c", ["c", "b", "a"]), (nil, ["b", "a"])] {
      let didBind = registry.bind(Sample.scheme("x"), to: identifier.map(Sample.id))
      #expect(didBind)
      #expect(registry.order(of: "x") == order)
    }
    #expect(registry.generation == generation + 3)
    #expect(registry.bindings == [:])
  }

  @Test("changes nothing when it is the choice already") func same() {
    var registry = Sample.registry([Sample.app("a", claims: ["x"])], bound: ["x": "a"])
    let generation = registry.generation
    let didBind = registry.bind(Sample.scheme("X"), to: Sample.id("A"))
    #expect(!didBind)
    #expect(registry.generation == generation)
  }
}
