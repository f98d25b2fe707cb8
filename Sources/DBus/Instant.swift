internal import Glibc

/// A moment of the clock that nobody sets, and that goes on while the machine sleeps.
///
/// In place of `ContinuousClock`, which brings all of Swift's concurrency: a command that asks one question
/// would spend more on starting that than on its question.
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
