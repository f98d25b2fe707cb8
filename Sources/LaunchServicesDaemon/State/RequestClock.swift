internal import Host

/// When requests were made, and by when they are old.
nonisolated struct RequestClock: Sendable {
  private let begun = (time: RequestClock.now, sinceBoot: Time.microsecondsSinceBoot())

  /// Microseconds since 1970, as the clock says.
  static var now: UInt64 { UInt64(clamping: Time.wallClockNanoseconds() / 1000) }

  /// The time by which requests are old: the clock may be set forward while this process lives, and
  /// nothing is to be forgotten for that.
  var earliest: UInt64 {
    min(Self.now, begun.time + (Time.microsecondsSinceBoot() - begun.sinceBoot))
  }
}
