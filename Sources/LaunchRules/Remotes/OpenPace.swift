/// Limits how often a remote opens something: a number of opens at once, which is restored within a minute.
package struct OpenPace: Hashable, Sendable {
  /// The time after which the whole number is available again, in microseconds.
  private static let period: UInt64 = 60_000_000

  private let perMinute: UInt64
  /// The time until which the opens so far use up the pace, in microseconds; see the generic cell rate algorithm.
  private var usedUntil: UInt64 = 0

  /// - Parameter perMinute: at least 1.
  package init(perMinute: Int) { self.perMinute = UInt64(max(1, perMinute)) }

  /// Counts one open at this time of a monotonic clock, in microseconds.
  /// - Returns: nil when the open is within the limit; otherwise the time until an open is possible, in microseconds.
  package mutating func use(at now: UInt64) -> UInt64? {
    let cost = max(1, Self.period / perMinute)
    let next = max(usedUntil, now) + cost
    let latest = now + cost * perMinute
    guard next <= latest else { return next - latest }
    usedUntil = next
    return nil
  }

  /// Counts what is done already, at this time of a monotonic clock, in microseconds.
  /// - Returns: nil while the limit is kept; otherwise the time for which nothing more may be done, in microseconds.
  package mutating func take(_ count: Int, at now: UInt64) -> UInt64? {
    let cost = max(1, Self.period / perMinute)
    usedUntil = max(usedUntil, now) + cost * UInt64(max(0, count))
    let latest = now + cost * perMinute
    return usedUntil > latest ? usedUntil - latest : nil
  }
}
