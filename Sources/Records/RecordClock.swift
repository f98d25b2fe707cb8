/// The clocks of the record.
package struct RecordClock: Sendable {
  /// Microseconds since 1970.
  package let now: @Sendable () -> UInt64
  /// Microseconds since boot, by a clock that cannot be set.
  package let sinceBoot: @Sendable () -> UInt64
  /// Distinguishes the starts of the system; empty when unknown.
  package let boot: String

  package init(
    now: @escaping @Sendable () -> UInt64, sinceBoot: @escaping @Sendable () -> UInt64,
    boot: String = ""
  ) {
    self.now = now
    self.sinceBoot = sinceBoot
    self.boot = boot
  }

  /// The time of the system's start by both clocks, in microseconds since 1970. Less than 0 when the first clock is
  /// behind the second one.
  var timeOfBoot: Int64 { Int64(clamping: now()) - Int64(clamping: sinceBoot()) }
}
