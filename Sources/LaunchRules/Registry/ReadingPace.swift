/// When it is told how many property lists have been read: at most ten times a second, and never of what is
/// done in a moment.
package struct ReadingPace: Sendable {
  /// In microseconds.
  package static let pause: UInt64 = 100_000

  private var next: UInt64
  private var hasTold = false

  /// - Parameter now: in microseconds, as in all that follows.
  package init(beginningAt now: UInt64) { next = now + Self.pause }

  /// Whether it is told now. That all are read is told, too, when something was told before.
  package mutating func tells(_ read: Int, of found: Int, at now: UInt64) -> Bool {
    guard now >= next || hasTold && read == found else { return false }
    next = now + Self.pause
    hasTold = true
    return true
  }
}
