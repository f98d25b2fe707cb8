import Foundation
import LaunchServicesTesting
import Testing

@MainActor @Suite("A randomised run", .timeLimit(.minutes(15)))
struct RandomisedRunTests {
  private func variable(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// `LAUNCH_SERVICES_SEED` runs one seed, `LAUNCH_SERVICES_SEEDS` that many instead of 200.
  @Test("whatever fails, every request has one fate, and it is the truth") func seeds() async throws
  {
    let seeds =
      variable("LAUNCH_SERVICES_SEED").map { $0...$0 }
      ?? 1...(variable("LAUNCH_SERVICES_SEEDS") ?? 200)
    try await Testbed.run { world in
      let run = try await RandomisedRun(world)
      for seed in seeds {
        do {
          try await run.run(seed: seed, steps: 30)
        } catch {
          Issue.record("seed \(seed): \(error)")
          throw error
        }
      }
      print("randomised run, seeds \(seeds): \(run.figures)")
    }
  }
}
