internal import Glibc

/// The current times of the Linux clocks.
package enum Time {
  /// Microseconds since boot; monotonic, stands still during suspend.
  package static func monotonicMicroseconds() -> UInt64 {
    let now = read(CLOCK_MONOTONIC)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }

  /// Microseconds since boot; monotonic, continues during suspend.
  package static func microsecondsSinceBoot() -> UInt64 {
    let now = read(CLOCK_BOOTTIME)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }

  /// Processor time that the current thread has used, in microseconds.
  package static func threadProcessorMicroseconds() -> UInt64 {
    let used = read(CLOCK_THREAD_CPUTIME_ID)
    return UInt64(used.tv_sec) * 1_000_000 + UInt64(used.tv_nsec) / 1000
  }

  /// Nanoseconds since 1970; jumps when the clock is set.
  package static func wallClockNanoseconds() -> Int64 {
    let now = read(CLOCK_REALTIME)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// Nanoseconds since 1970 by the clock that dates files: at most one timer interrupt (1 to 10 ms) behind
  /// `wallClockNanoseconds`. Times of this clock and of files written later are in the right order.
  package static func fileClockNanoseconds() -> Int64 {
    let now = read(CLOCK_REALTIME_COARSE)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var now = timespec()
    unsafe clock_gettime(clock, &now)
    return now
  }
}
