internal import Glibc

/// An instant of the clock `CLOCK_BOOTTIME`, which is never set and advances while the machine sleeps.
///
/// Replaces `ContinuousClock`, which loads Swift's concurrency runtime: for a command that makes one call, loading
/// takes longer than the call.
package struct Instant: Comparable, Sendable {
  private let sinceStart: Duration

  package static var now: Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return Instant(sinceStart: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
  }

  package static func < (one: Instant, other: Instant) -> Bool { one.sinceStart < other.sinceStart }

  package static func + (instant: Instant, time: Duration) -> Instant {
    Instant(sinceStart: instant.sinceStart + time)
  }

  package static func - (end: Instant, start: Instant) -> Duration {
    end.sinceStart - start.sinceStart
  }
}
