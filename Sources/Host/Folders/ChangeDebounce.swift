/// Decides when a burst of changes is reported: after a pause without changes, but no later than a maximum
/// time after the first change.
struct ChangeDebounce {
  /// Pause without changes before the report, in microseconds.
  static let pause: UInt64 = 50_000
  /// Maximum time from the first change to the report, in microseconds.
  static let patience: UInt64 = 250_000

  private var first: UInt64?

  /// - Parameter now: current time, in microseconds.
  /// - Returns: delay until the report, in microseconds, unless another change follows.
  mutating func changed(at now: UInt64) -> UInt64 {
    let first = first ?? now
    self.first = first
    let due = min(now + Self.pause, first + Self.patience)
    return due > now ? due - now : 0
  }

  /// Resets the state after a report.
  mutating func reported() { first = nil }
}
