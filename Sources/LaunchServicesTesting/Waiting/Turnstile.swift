internal import FoundationEssentials

/// Lets only so many testbeds stand at once, so that a test is not slow because of all others.
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
    guard waiting.isEmpty else { return waiting.removeFirst().resume() }
    free += 1
  }
}
