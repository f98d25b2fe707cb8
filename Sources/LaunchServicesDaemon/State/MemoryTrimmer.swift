internal import Host
internal import LaunchRules

/// Returns unused memory to the system after a burst of work. Does not wake an idle daemon.
final class MemoryTrimmer {
  /// Memory is returned after a whole pause without work, so at most two pauses after the last work.
  private static let pause: Duration = .seconds(4)
  /// Minimum amount of unused memory for a trim after calls, in bytes.
  private static let least = 1 << 20

  private let journal: Journal
  private var rule = IdleRule()
  private var pause: Deadline?
  /// The memory in use after the last trim, in bytes.
  private var before = 0
  /// Whether property lists or desktop entries were read since the last trim.
  private var hasRead = false

  init(_ journal: Journal) { self.journal = journal }

  /// Records that a call was received.
  func recordWork() {
    if rule.worked() { wait() }
  }

  /// Records that property lists or desktop entries were read, which leaves unused memory between what is kept.
  func recordReading() {
    hasRead = true
    recordWork()
  }

  func trim() {
    hasRead = false
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
    guard hasRead || now - before > Self.least else { return }
    trim()
    journal.info(
      "idle: returned unused memory to the system", ["kilobytes": "\(max(0, now - before) / 1024)"])
  }
}
