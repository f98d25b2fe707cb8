/// The time for which a thread may wait for slow file systems: a tenth of all time, so that many slow answers delay
/// other work as little as one.
struct WaitingAllowance {
  /// In microseconds.
  static let most: UInt64 = 400_000
  /// The time limit of a call when the allowance is used up, in microseconds.
  static let least: UInt64 = 10_000
  private static let part: UInt64 = 10

  private var spent: UInt64 = 0
  private var settled: UInt64 = 0

  /// The time limit for the next call, in microseconds.
  /// - Parameter now: in microseconds.
  mutating func rest(at now: UInt64) -> UInt64 {
    let now = max(now, settled)
    spent -= min(spent, (now - settled) / Self.part)
    settled = now
    return max(Self.least, Self.most - spent)
  }

  /// - Parameter time: how long a call took, in microseconds.
  mutating func spend(_ time: UInt64, at now: UInt64) {
    spent = min(Self.most, Self.most - rest(at: now) + time)
  }
}
