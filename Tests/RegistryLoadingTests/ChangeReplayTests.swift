import LaunchRules
import SeededRandom
import Testing

@testable import RegistryLoading

/// A successor of the registry is made elsewhere, and nobody waits for it.
@Suite nonisolated struct `Changes of the registry while its successor is made` {
  private typealias Change = (inout Registry) -> Void
  private static let schemes = ["x", "y", "tel"].map(scheme)

  @Test("count at once and afterwards, as if the successor had come first")
  func random() {
    let seed = UInt64.random(in: 0...(.max))
    var random = SplitMix64(seed: seed)
    var registry = Registry()
    var meanwhile = ChangeReplay<Registry>()
    // What the registry must be like, and what it must be like once its successor is there.
    var plain = Registry()
    var successor: (registry: Registry, plain: Registry)?
    var rounds = 0
    for _ in 0..<1000 {
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
    #expect(rounds > 10)
  }

  private static func change(_ random: inout SplitMix64) -> Change {
    let application = application(&random)
    let identifier = ["a", "b", "c", nil].randomElement(using: &random) ?? nil
    let chosen = schemes.randomElement(using: &random) ?? schemes[0]
    return switch Int.random(in: 0..<4, using: &random) {
    case 0, 1: { $0.install(application) }
    case 2: { $0.remove(propertyList: application.propertyList) }
    default: { $0.bind(chosen, to: identifier.map(id)) }
    }
  }

  private static func round(_ random: inout SplitMix64) -> Change {
    let records = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
      ApplicationRecord(application(&random))
    }
    return { $0.change(removing: ["/0", "/1"], installing: records) }
  }

  private static func application(_ random: inout SplitMix64) -> InstalledApplication {
    let name = ["a", "b", "c", "d"].randomElement(using: &random) ?? "a"
    let claims = schemes.filter { _ in Bool.random(using: &random) }
    let declaration = ApplicationDeclaration(
      identifier: id(name), version: BundleVersion("1"),
      urlTypes: [URLTypeDeclaration(schemes: claims)],
      platform: Bool.random(using: &random) ? .iOS : .macOS)
    return InstalledApplication(
      declaration: declaration, propertyList: "/\(Int.random(in: 0..<8, using: &random))",
      folder: "/apps", isSystem: Int.random(in: 0..<5, using: &random) == 0,
      installedAt: Int64.random(in: 0..<3, using: &random), stamp: "")
  }
}
