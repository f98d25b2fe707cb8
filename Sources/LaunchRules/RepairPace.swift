/// When something is made again that others keep taking away: at once the first time, then more and more slowly,
/// and at once again when nobody has touched it for a while.
package struct RepairPace: Sendable {
  /// In microseconds.
  private let longest: UInt64
  private let shortest: UInt64
  /// How long it must have stayed.
  private static let peace: UInt64 = 60_000_000

  private var pause: UInt64 = 0
  /// When it was to be made last.
  private var last: UInt64?

  /// - Parameters:
  ///   - shortest: How long to wait the second time, in microseconds.
  ///   - longest: How long to wait at most.
  package init(shortest: UInt64 = 200_000, longest: UInt64 = 10_000_000) {
    (self.shortest, self.longest) = (shortest, longest)
  }

  /// How long to wait, in microseconds, when it is found missing.
  /// - Parameter now: in microseconds.
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
