internal import Host

/// The clock for the times of requests and for their maximum age.
nonisolated struct RequestClock: Sendable {
  private let begun = (time: RequestClock.now, sinceBoot: Time.microsecondsSinceBoot())

  /// Microseconds since 1970 by the system clock.
  static var now: UInt64 { UInt64(clamping: Time.wallClockNanoseconds() / 1000) }

  /// The time for the age of requests. If the system clock is set forward while this process runs, this time
  /// does not jump, so that no requests are deleted early.
  var earliest: UInt64 {
    min(Self.now, begun.time + (Time.microsecondsSinceBoot() - begun.sinceBoot))
  }
}
