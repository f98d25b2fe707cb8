import LaunchRules
import SeededRandom
import Testing

/// The registry after many changes is compared with a model that starts from scratch each time.
@Suite struct `The registry, whatever happens` {
  private static let schemes = ["x", "y", "tel", "data"]
  private static let hosts = ["a.example", "b.example"]
  private static let policies: [CollisionPolicy] = [
    .lastInstalled, .firstInstalled, .ambiguousIsError, .seededRandom(3),
  ]

  @Test("gives the candidates a naive model gives", arguments: 0..<100 as Range<UInt64>)
  func matchesModel(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let policy = Self.policies[Int(seed % 4)]
    var registry = Registry(policy: policy)
    var model = Model(policy: policy)
    for _ in 0..<60 {
      step(&registry, &model, &random)
      for scheme in Self.schemes {
        let candidates = registry.candidates(for: Sample.scheme(scheme))
        #expect(candidates.map(\.identifier.text) == model.order(of: scheme), "seed \(seed)")
        #expect(candidates.map(\.reason) == candidates.map(\.reason).sorted(), "seed \(seed)")
        #expect(
          registry.isClaimedBySystem(Sample.scheme(scheme))
            == candidates.contains { $0.isSystem && $0.claimsScheme }, "seed \(seed)")
      }
      for host in Self.hosts.compactMap(WebHost.init) {
        let candidates = registry.candidates(for: Sample.scheme("http"), host: host)
        #expect(candidates.map(\.identifier.text) == model.order(ofHost: host), "seed \(seed)")
      }
      #expect(registry.generation == model.changes, "seed \(seed)")
      #expect(registry.bindings == model.bindings, "seed \(seed)")
      #expect(registry.applications == model.inUse, "seed \(seed)")
    }
    var other = Registry(policy: policy)
    for (scheme, identifier) in model.bindings { other.bind(scheme, to: identifier) }
    for application in model.installed.values.shuffled(using: &random) {
      other.install(application)
    }
    for scheme in Self.schemes.map(Sample.scheme) {
      #expect(registry.candidates(for: scheme) == other.candidates(for: scheme), "seed \(seed)")
      #expect(registry.route(scheme) == other.route(scheme), "seed \(seed)")
    }
  }

  private func step(
    _ registry: inout Registry, _ model: inout Model, _ random: inout SplitMix64
  ) {
    let path = "/\(Int.random(in: 0..<8, using: &random))"
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5:
      let application = anyApplication(at: path, &random)
      registry.install(application)
      model.replace([path: application])
    case 5:
      let application = anyApplication(at: path, &random)
      registry.change(removing: ["/0", "/1"], installing: [ApplicationRecord(application)])
      model.replace(["/0": nil, "/1": nil].merging([path: application]) { $1 })
    case 6, 7:
      registry.remove(propertyList: path)
      model.replace([path: nil])
    default:
      let scheme = Sample.scheme(["x", "y", "tel"].randomElement(using: &random) ?? "x")
      let identifier = ["a", "b", "c", "d", nil].randomElement(using: &random) ?? nil
      registry.bind(scheme, to: identifier.map(Sample.id))
      model.bind(scheme, identifier.map(Sample.id))
    }
  }

  private func anyApplication(
    at path: String, _ random: inout SplitMix64
  ) -> InstalledApplication {
    let claims = Self.schemes.filter { _ in Bool.random(using: &random) }
    return Sample.app(
      ["a", "b", "c", "d", "e"].randomElement(using: &random) ?? "a", claims: claims,
      role: Int.random(in: 0..<4, using: &random) == 0 ? .none : .editor,
      rank: Bool.random(using: &random) ? .owner : .alternate,
      on: Bool.random(using: &random) ? .iOS : .macOS,
      version: "1.\(Int.random(in: 8..<12, using: &random))",
      system: Int.random(in: 0..<5, using: &random) == 0,
      at: Int64.random(in: 0..<3, using: &random), path: path,
      hosts: Self.hosts.filter { _ in Bool.random(using: &random) },
      entitlements: Bool.random(using: &random) ? [.callingApp] : [])
  }
}

/// The rules of the registry, written as plainly and slowly as can be.
private struct Model {
  let policy: CollisionPolicy
  var installed: [String: InstalledApplication] = [:]
  var bindings: [URLScheme: BundleIdentifier] = [:]
  var changes: UInt64 = 0

  init(policy: CollisionPolicy) { self.policy = policy }

  mutating func replace(_ applications: [String: InstalledApplication?]) {
    let before = installed
    for (path, application) in applications { installed[path] = application }
    if installed != before { changes += 1 }
  }

  mutating func bind(_ scheme: URLScheme, _ identifier: BundleIdentifier?) {
    if bindings[scheme] != identifier { changes += 1 }
    bindings[scheme] = identifier
  }

  var inUse: [InstalledApplication] {
    Set(installed.values.map(\.identifier)).sorted().compactMap { identifier in
      var copies = installed.values.filter { $0.identifier == identifier }
      if copies.contains(where: \.isSystem) { copies.removeAll { !$0.isSystem } }
      let all = installed.values.filter { $0.identifier == identifier }
      if all.allSatisfy({ $0.declaration.platform == .macOS }) {
        let best = copies.map(\.declaration.version).max()
        copies.removeAll { $0.declaration.version != best }
      }
      let last = copies.map(\.installedAt).max()
      return copies.filter { $0.installedAt == last }.min { $0.propertyList < $1.propertyList }
    }
  }

  func order(of text: String) -> [String] {
    let scheme = Sample.scheme(text)
    guard text != "data" else { return [] }
    let claiming = inUse.filter { $0.declaration.urlTypes[0].schemes.contains(scheme) }
    let chosen = inUse.filter {
      $0.identifier == bindings[scheme]
        && ($0.declaration.platform == .macOS || claiming.contains($0)
          || text == "tel" && !$0.isSystem && !$0.declaration.entitlements.isEmpty)
    }
    var order = chosen.filter {
      $0.declaration.platform == .macOS || $0.isSystem
        || text == "tel" && !$0.declaration.entitlements.isEmpty
    }
    order += best(claiming.filter(\.isSystem))
    order += chosen
    order += best(claiming.filter { $0.declaration.urlTypes[0].role != .none })
    order += best(claiming)
    var seen: Set<BundleIdentifier> = []
    return order.map(\.identifier).filter { seen.insert($0).inserted }.map(\.text)
  }

  func order(ofHost host: WebHost) -> [String] {
    byPolicy(inUse.filter { $0.isSystem && $0.declaration.webHosts.contains(host) })
      .map(\.identifier.text)
  }

  private func best(_ applications: [InstalledApplication]) -> [InstalledApplication] {
    let roles: [Bool] = [false, true]
    let ranks = URLTypeDeclaration.Rank.allCases
    return roles.flatMap { isNone in
      ranks.flatMap { rank in
        byPolicy(
          applications.filter {
            ($0.declaration.urlTypes[0].role == .none) == isNone
              && $0.declaration.urlTypes[0].rank == rank
          })
      }
    }
  }

  private func byPolicy(_ alike: [InstalledApplication]) -> [InstalledApplication] {
    let byName = alike.sorted { $0.identifier < $1.identifier }
    switch policy {
    case .lastInstalled:
      return [2, 1, 0].flatMap { time in byName.filter { $0.installedAt == time } }
    case .firstInstalled:
      return [0, 1, 2].flatMap { time in byName.filter { $0.installedAt == time } }
    case .ambiguousIsError: return byName
    case .seededRandom:
      let drawn = ["e", "b", "c", "a", "d"].map(Sample.id)
      return drawn.flatMap { identifier in byName.filter { $0.identifier == identifier } }
    }
  }
}
