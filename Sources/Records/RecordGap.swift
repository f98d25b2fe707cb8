/// A loss of requests from the record: a repeated request that the record does not have may be one of them.
///
/// The system clock may be wrong when the loss is found or later, so the gap ends when daemons have run for the time for
/// which requests are kept, counted with a clock that cannot be set. What a daemon counted after the last storing before it
/// was killed is counted again.
struct RecordGap: Hashable {
  /// When the loss was found, in microseconds since 1970. At least 1.
  let begin: UInt64
  /// The time for which daemons have run since, in microseconds.
  private(set) var counted: UInt64
  /// When time was last counted, and what was counted when it was last stored.
  private var last: UInt64
  private var stored: UInt64
  /// The time between two storings, in microseconds.
  static let pause: UInt64 = 60_000_000

  /// - Parameter sinceBoot: the time from which to count, in microseconds since boot.
  init(begin: UInt64, counted: UInt64 = 0, from sinceBoot: UInt64) {
    self.begin = max(1, begin)
    self.counted = counted
    (last, stored) = (sinceBoot, counted)
  }

  /// Counts the time since the last call.
  /// - Returns: whether the count is to be stored.
  mutating func count(until sinceBoot: UInt64) -> Bool {
    if sinceBoot > last { counted += sinceBoot - last }
    last = max(last, sinceBoot)
    guard counted - stored >= Self.pause else { return false }
    stored = counted
    return true
  }
}
