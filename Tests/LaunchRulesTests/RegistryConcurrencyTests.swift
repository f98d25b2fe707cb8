import SeededRandom
import Synchronization
import Testing

@testable import LaunchRules

/// The registry changes all the time, and whoever looks into a copy of it sees one of its states whole.
@Suite struct `The registry, while it changes` {
  /// A registry with what it must answer.
  private struct State: Sendable {
    var registry = Registry()
    /// The owner of each scheme.
    var owners: [String: String] = [:]
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
    let isDone = Mutex(false)
  }

  private static let schemes = (0..<8).map { "s\($0)" }

  @Test("never shows a mixed state") func whole() async {
    let seed = UInt64.random(in: 0...(.max))
    let shared = Shared()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          while !shared.isDone.withLock({ $0 }) {
            let state = shared.state.withLock { $0 }
            Self.check(state, seed)
            await Task.yield()
          }
        }
      }
      group.addTask {
        Self.change(shared, seed)
        shared.isDone.withLock { $0 = true }
      }
    }
  }

  private static func change(_ shared: Shared, _ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for step in 1...10_000 {
      // Each application claims a part of the schemes, and together they claim each once.
      var state = shared.state.withLock { $0 }
      let parts = Int.random(in: 1...4, using: &random)
      var owners: [String: String] = [:]
      for scheme in schemes { owners[scheme] = "app\(Int.random(in: 0..<parts, using: &random))" }
      let applications = Set(owners.values).map { name in
        ApplicationRecord(
          Sample.app(
            name, claims: schemes.filter { owners[$0] == name }, queries: schemes,
            stamp: "\(step)"))
      }
      state.registry.change(
        removing: (0..<4).map { "/apps/app\($0).app/Info.plist" }, installing: applications)
      state.owners = owners
      shared.state.withLock { $0 = state }
    }
    check(shared.state.withLock { $0 }, seed)
  }

  private static func check(_ state: State, _ seed: UInt64) {
    for scheme in schemes {
      let owner = state.owners[scheme]
      #expect(state.registry.handler(of: scheme) == owner, "seed \(seed)")
      guard let owner else { continue }
      var quotas = LegacyQuotas()
      let answer = CanOpenRule.answer(
        scheme: Sample.scheme(scheme), caller: .assumed(Sample.id(owner)), registry: state.registry,
        quotas: &quotas)
      #expect(answer == .yes(.handled), "seed \(seed)")
    }
    let stamps = Set(state.registry.applications.map(\.stamp))
    #expect(stamps.count <= 1, "seed \(seed)")
    #expect(Set(state.registry.applications.map(\.identifier.text)) == Set(state.owners.values))
  }
}
