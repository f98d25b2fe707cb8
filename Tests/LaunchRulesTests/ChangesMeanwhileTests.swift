import LaunchRules
import SeededRandom
import Testing

/// A successor of the registry is made elsewhere, and nobody waits for it.
@Suite struct `Changes of the registry while its successor is made` {
  private typealias Change = (inout Registry) -> Void
  private static let schemes = ["x", "y", "tel"].map(Sample.scheme)

  @Test("count at once and afterwards, as if the successor had come first")
  func random() {
    let seed = UInt64.random(in: 0...(.max))
    var random = SplitMix64(seed: seed)
    var registry = Registry()
    var meanwhile = ChangesMeanwhile<Registry>()
    // What the registry must be like, and what it must be like once its successor is there.
    var plain = Registry()
    var successor: (registry: Registry, plain: Registry)?
    var rounds = 0
    for _ in 0..<10_000 {
      switch (Int.random(in: 0..<10, using: &random), successor) {
      case (0, nil):
        meanwhile.begin()
        let round = Self.round(&random)
        var next = (registry: registry, plain: plain)
        round(&next.registry)
        round(&next.plain)
        successor = next
      case (0, var made?):
        meanwhile.end(&made.registry)
        made.registry.follow(registry)
        #expect(made.registry.generation == registry.generation + 1)
        (registry, plain, successor) = (made.registry, made.plain, nil)
        rounds += 1
      default:
        let change = Self.change(&random)
        meanwhile.make(change, to: &registry)
        change(&plain)
        if let made = successor {
          var plain = made.plain
          change(&plain)
          successor = (made.registry, plain)
        }
      }
      #expect(registry.applications == plain.applications, "seed \(seed)")
      #expect(registry.bindings == plain.bindings, "seed \(seed)")
      for scheme in Self.schemes {
        #expect(registry.candidates(for: scheme) == plain.candidates(for: scheme), "seed \(seed)")
      }
    }
    #expect(rounds > 100)
  }

  @Test("and questions are answered before it is there") func nobodyWaits() async {
    var registry = Sample.registry((0..<1000).map { Sample.app("a\($0)", claims: ["old"]) })
    var meanwhile = ChangesMeanwhile<Registry>()
    let (gate, open) = AsyncStream<Void>.makeStream()
    meanwhile.begin()
    let made = Task.detached { [registry] in
      var successor = registry
      successor.change(
        removing: [],
        installing: (0..<1000).map { ApplicationRecord(Sample.app("a\($0)", claims: ["new"])) })
      for await _ in gate {}
      return successor
    }
    #expect(registry.order(of: "old").count == 1000)
    meanwhile.make({ $0.bind(Sample.scheme("old"), to: Sample.id("a7")) }, to: &registry)
    meanwhile.make({ $0.bind(Sample.scheme("new"), to: Sample.id("a8")) }, to: &registry)
    meanwhile.make({ $0.remove(propertyList: "/apps/a9.app/Info.plist") }, to: &registry)
    #expect(registry.order(of: "old").count == 999)
    #expect(registry.handler(of: "old") == "a7")
    #expect(registry.order(of: "new") == [])
    // Only now may it end.
    open.finish()
    var successor = await made.value
    meanwhile.end(&successor)
    #expect(successor.order(of: "old") == [])
    #expect(successor.order(of: "new").count == 999)
    #expect(successor.handler(of: "new") == "a8")
    #expect(successor.bindings == registry.bindings)
  }

  private static func change(_ random: inout SplitMix64) -> Change {
    let application = application(&random)
    let identifier = ["a", "b", "c", nil].randomElement(using: &random) ?? nil
    let scheme = schemes.randomElement(using: &random) ?? schemes[0]
    return switch Int.random(in: 0..<4, using: &random) {
    case 0, 1: { $0.install(application) }
    case 2: { $0.remove(propertyList: application.propertyList) }
    default: { $0.bind(scheme, to: identifier.map(Sample.id)) }
    }
  }

  private static func round(_ random: inout SplitMix64) -> Change {
    let records = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
      ApplicationRecord(application(&random))
    }
    return { $0.change(removing: ["/0", "/1"], installing: records) }
  }

  private static func application(_ random: inout SplitMix64) -> InstalledApplication {
    Sample.app(
      ["a", "b", "c", "d"].randomElement(using: &random) ?? "a",
      claims: schemes.map(\.text).filter { _ in Bool.random(using: &random) },
      on: Bool.random(using: &random) ? .iOS : .macOS,
      system: Int.random(in: 0..<5, using: &random) == 0,
      at: Int64.random(in: 0..<3, using: &random), path: "/\(Int.random(in: 0..<8, using: &random))"
    )
  }
}
