internal import Host
internal import LaunchRules

/// Gives back the memory that a burst of work has taken, once it is over. An idle daemon is not woken.
final class MemoryTrimmer {
  private static let pause: Duration = .seconds(5)
  /// In bytes: so much is worth it.
  private static let least = 1 << 20

  private let journal: Journal
  private var rule = RestRule()
  private var pause: Deadline?
  /// In use after it was given back last; in bytes.
  private var before = 0

  init(_ journal: Journal) { self.journal = journal }

  /// There is a call, or property lists were read.
  func recordWork() {
    if rule.worked() { wait() }
  }

  func trim() {
    SpareMemory.giveBack()
    before = SpareMemory.inUse
  }

  private func wait() {
    pause = Deadline(after: Self.pause) { [weak self] in self?.paused() }
  }

  private func paused() {
    guard rule.paused() else { return wait() }
    pause = nil
    let now = SpareMemory.inUse
    guard now - before > Self.least else { return }
    trim()
    journal.info("idle: memory was given back", ["kilobytes": "\((now - before) / 1024)"])
  }
}
