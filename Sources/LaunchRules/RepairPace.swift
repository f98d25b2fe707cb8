/// Delays for recreating something that others remove repeatedly: immediately the first time, then with
/// increasing delays. The delays start over when nothing was removed for a while.
package struct RepairPace: Sendable {
  /// Maximum delay in microseconds.
  private let longest: UInt64
  private let shortest: UInt64
  /// Time without a removal after which the delays start over, in microseconds.
  private static let peace: UInt64 = 60_000_000

  private var pause: UInt64 = 0
  /// Time of the last repair.
  private var last: UInt64?

  /// - Parameters:
  ///   - shortest: delay of the second repair, in microseconds.
  ///   - longest: maximum delay, in microseconds.
  package init(shortest: UInt64 = 200_000, longest: UInt64 = 10_000_000) {
    (self.shortest, self.longest) = (shortest, longest)
  }

  /// The delay before the repair, in microseconds.
  /// - Parameter now: current time, in microseconds.
  package mutating func next(at now: UInt64) -> UInt64 {
    if let last, now < last + Self.peace {
      pause = min(longest, max(shortest, pause * 2))
    } else {
      pause = 0
    }
    last = now + pause
    return pause
  }
}
