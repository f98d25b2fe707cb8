internal import FoundationEssentials

/// Limits how many testbeds exist at once, so that a test is not slow because of all others.
///
/// The test that came last is next. Suites whose tests run one after the other queue again and again; if the first one
/// were next, each of their tests would wait for all other suites.
@MainActor final class Turnstile {
  static let testbeds = Turnstile(seats: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(seats: Int) { free = seats }

  func enter() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    guard waiting.isEmpty else { return waiting.removeLast().resume() }
    free += 1
  }
}
