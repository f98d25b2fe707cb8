internal import Host

/// The clock for the times of requests.
nonisolated enum RequestClock {
  /// Microseconds since 1970 by the system clock.
  static var now: UInt64 { UInt64(clamping: Time.wallClockNanoseconds() / 1000) }
}
