/// Limits the reports of reading progress to ten per second. Short readings are not reported.
package struct ReadingPace: Sendable {
  /// In microseconds.
  package static let pause: UInt64 = 100_000

  private var next: UInt64
  private var hasTold = false

  /// - Parameter now: in microseconds, also in the methods below.
  package init(beginningAt now: UInt64) { next = now + Self.pause }

  /// Whether to report progress now. Completion is reported when progress was reported before.
  package mutating func tells(_ read: Int, of found: Int, at now: UInt64) -> Bool {
    guard now >= next || hasTold && read == found else { return false }
    next = now + Self.pause
    hasTold = true
    return true
  }
}
