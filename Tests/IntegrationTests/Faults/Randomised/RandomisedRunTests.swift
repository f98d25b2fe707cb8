import Foundation
import LaunchServicesTesting
import Testing

@MainActor @Suite("A randomised run", .timeLimit(.minutes(60)))
struct RandomisedRunTests {
  private func variable(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// Of every daemon: what it waits for is far more than a step takes.
  static let options = ["--launch-timeout", "20", "--delivery-timeout", "20"]

  /// `LAUNCH_SERVICES_SEED` runs one seed and prints its plan, `LAUNCH_SERVICES_STEPS` that many of its
  /// steps; `LAUNCH_SERVICES_SEEDS` runs that many seeds instead of 200, from that one or the first on.
  @Test("whatever fails, every request has one fate, and it is the truth") func seeds() async throws
  {
    let first = variable("LAUNCH_SERVICES_SEED")
    let count = max(1, variable("LAUNCH_SERVICES_SEEDS") ?? (first == nil ? 200 : 1))
    let seeds = (first ?? 1)...((first ?? 1) &+ count &- 1)
    let steps = variable("LAUNCH_SERVICES_STEPS").map { Int(clamping: $0) } ?? .max
    try await Testbed.run(startsDaemon: false) { world in
      try world.writeSettings("<key>CheckInGrace</key><integer>1</integer>")
      try await world.startDaemon(Self.options)
      let run = try await RandomisedRun(world)
      for seed in seeds {
        let plan = FaultPlan(seed: seed, length: 30)
        if seeds.count == 1 { print(plan) }
        try await run.run(plan, steps: steps)
      }
      print("randomised run, seeds \(seeds): \(run.figures)")
    }
  }
}
