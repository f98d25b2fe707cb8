internal import FoundationEssentials

/// Limits the number of concurrent testbeds, so that tests do not slow each other down.
///
/// The test that arrived last enters next. Suites that run their tests one after the other queue repeatedly;
/// in the order of arrival, each of their tests would wait for all other suites.
@MainActor final class Turnstile {
  static let testbeds = Turnstile(places: max(4, 2 * ProcessInfo.processInfo.activeProcessorCount))

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(places: Int) { free = places }

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
