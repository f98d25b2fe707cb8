/// The clocks of the record.
package struct RecordClock: Sendable {
  /// Microseconds since 1970.
  package let now: @Sendable () -> UInt64
  /// Microseconds since boot, by a clock that cannot be set.
  package let sinceBoot: @Sendable () -> UInt64

  package init(
    now: @escaping @Sendable () -> UInt64, sinceBoot: @escaping @Sendable () -> UInt64
  ) {
    self.now = now
    self.sinceBoot = sinceBoot
  }
}
