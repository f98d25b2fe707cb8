/// When something is made again that others keep taking away: at once the first time, then more and more slowly,
/// and at once again when nobody has touched it for a while.
package struct RepairPace: Sendable {
  /// In microseconds.
  package static let longest: UInt64 = 10_000_000
  private static let shortest: UInt64 = 200_000
  /// How long it must have stayed.
  private static let peace: UInt64 = 60_000_000

  private var pause: UInt64 = 0
  /// When it was to be made last.
  private var last: UInt64?

  package init() {}

  /// How long to wait, in microseconds, when it is found missing.
  /// - Parameter now: in microseconds.
  package mutating func next(at now: UInt64) -> UInt64 {
    if let last, now < last + Self.peace {
      pause = min(Self.longest, max(Self.shortest, pause * 2))
    } else {
      pause = 0
    }
    last = now + pause
    return pause
  }
}
