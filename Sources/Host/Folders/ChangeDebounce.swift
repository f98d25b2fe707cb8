/// When a burst of changes is reported: after a pause without a change, and at the latest some time after its first one.
struct ChangeDebounce {
  /// How long nothing must change before the burst is reported, in microseconds.
  static let pause: UInt64 = 50_000
  /// How long a burst that does not pause is waited for, in microseconds.
  static let patience: UInt64 = 250_000

  private var first: UInt64?

  /// - Parameter now: In microseconds.
  /// - Returns: In how many microseconds the burst is reported, unless something else changes before.
  mutating func changed(at now: UInt64) -> UInt64 {
    let first = first ?? now
    self.first = first
    let due = min(now + Self.pause, first + Self.patience)
    return due > now ? due - now : 0
  }

  /// The burst is reported.
  mutating func reported() { first = nil }
}
