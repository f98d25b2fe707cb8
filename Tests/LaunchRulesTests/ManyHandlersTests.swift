import LaunchRules
import Testing

/// Very many applications claim one scheme.
@Suite struct `A scheme that very many claim` {
  private static let shared = Sample.scheme("shared")

  private static func application(_ index: Int, at time: Int64) -> InstalledApplication {
    Sample.app(
      "a\(index)", claims: ["shared"], rank: index % 3 == 0 ? .alternate : .default, at: time)
  }

  private static let applications = (0..<100).map { application($0, at: Int64($0 * 7 % 50)) }

  @Test("has them in order, however many of them change at once", arguments: [1, 2, 5, 8, 60])
  func order(changed: Int) {
    var registry = Sample.registry(Self.applications)
    var applications = Self.applications
    for index in 0..<changed {
      applications[index * 97 % 100] = Self.application(index * 97 % 100, at: Int64(index * 5))
    }
    registry.change(removing: [], installing: applications.map { ApplicationRecord($0) })
    let fresh = Sample.registry(applications)
    #expect(registry.candidates(for: Self.shared) == fresh.candidates(for: Self.shared))
    #expect(registry.candidates(for: Self.shared).count == 100)
  }

  /// Each of the schemes decoded all schemes of both applications: a property list of 20,000 schemes stopped the
  /// daemon for 16 s, and three times as long in a build with checks.
  @Test(
    "twice, with 20,000 others: each application is decoded once", .timeLimit(.minutes(30)))
  func manySchemes() throws {
    let schemes = (0..<20_000).map { "s\($0)" }
    let chosen = Sample.app("one", claims: schemes, on: .macOS, at: 1)
    var registry = Sample.registry([chosen, Sample.app("two", claims: schemes, at: 2)])
    let last = Sample.scheme("s19999")
    #expect(registry.candidates(for: last).map(\.identifier.text) == ["two", "one"])
    registry.change(
      removing: [], installing: [ApplicationRecord(Sample.app("three", claims: schemes, at: 3))])
    #expect(registry.candidates(for: last).map(\.identifier.text) == ["three", "two", "one"])
    for scheme in schemes.prefix(5) { registry.bind(Sample.scheme(scheme), to: chosen.identifier) }
    registry.change(
      removing: [], installing: [ApplicationRecord(Sample.app("three", claims: schemes, at: 4))])
    #expect(
      registry.candidates(for: Sample.scheme("s4")).map(\.identifier.text)
        == ["one", "three", "two"])
  }

  @Test("gives them in pieces that make the whole", arguments: [nil, "www.example.com"])
  func pieces(host: String?) {
    let scheme = host == nil ? Self.shared : Sample.scheme("https")
    let host = host.flatMap(WebHost.init)
    let system = Sample.app(
      "system", claims: ["https"], system: true, hosts: ["www.example.com"])
    let browsers = (0..<50).map { Sample.app("b\($0)", claims: ["https"]) }
    let registry = Sample.registry(Self.applications + browsers + [system])
    let all = registry.candidates(for: scheme, host: host)
    #expect(registry.candidateCount(for: scheme, host: host) == all.count)
    for (start, most) in [(0, 1), (1, 1), (0, 7), (1, 3), (3, 30), (45, 500), (1000, 3)] {
      #expect(
        registry.candidates(for: scheme, host: host, from: start, most: most)
          == Array(all.dropFirst(start).prefix(most)))
    }
    var walked: [HandlerCandidate] = []
    while let piece = Optional(
      registry.candidates(for: scheme, host: host, from: walked.count, most: 9)),
      let last = piece.last
    {
      walked += piece
      #expect(
        registry.candidateCount(for: scheme, host: host, through: last.identifier) == walked.count)
    }
    #expect(walked == all)
    let nobody = Sample.id("nobody")
    #expect(registry.candidateCount(for: scheme, host: host, through: nobody) == nil)
  }

  @Test("is explained with the best of them, and how many more there are") func explanation() {
    let steps = CanOpenRule.explanation(
      scheme: Self.shared, caller: .unidentified, registry: Sample.registry(Self.applications),
      quotas: LegacyQuotas()
    ).filter { $0.step == "candidate" }
    #expect(steps.count == 21)
    #expect(steps.last?.sentence == "80 more; see: lsregister handlers shared")
  }

  @Test("names all between which the user has to choose when there are not too many") func named() {
    let few = (0..<Routing.mostListed).map {
      Sample.app("a\($0)", claims: [Self.shared.text], at: 0)
    }
    let registry = Sample.registry(few, policy: .ambiguousIsError)
    #expect {
      try registry.choose(.init(scheme: Self.shared))
    } throws: { error in
      guard let sentence = (error as? OpenFailure)?.sentence else { return false }
      return few.allSatisfy { sentence.contains($0.identifier.text) }
        && !sentence.contains("and others")
    }
  }

  @Test("names only some of those between which the user has to choose") func ambiguous() {
    let registry = Sample.registry(Self.applications, policy: .ambiguousIsError)
    guard case .ambiguous(let identifiers) = registry.route(Self.shared) else {
      Issue.record("somebody gets it")
      return
    }
    #expect(identifiers.count == Routing.mostListed + 1)
    #expect(identifiers == identifiers.sorted())
    #expect {
      try registry.choose(.init(scheme: Self.shared))
    } throws: {
      ($0 as? OpenFailure)?.sentence.contains(
        " and others, and the setting CollisionPolicy requires") == true
    }
  }
}
