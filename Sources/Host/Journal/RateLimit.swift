/// Admits a number of events per second and counts the refused ones.
struct RateLimit {
  let perSecond: Int
  private var second: UInt64 = 0
  private var admitted = 0
  private var refused = 0

  init(perSecond: Int) { self.perSecond = perSecond }

  enum Answer: Equatable {
    /// Admitted, with the number of events refused since the last one admitted.
    case admitted(afterRefusing: Int)
    case refused
  }

  /// `now` is in microseconds and monotonic.
  mutating func ask(at now: UInt64) -> Answer {
    if now / 1_000_000 != second {
      second = now / 1_000_000
      admitted = 0
    }
    guard admitted < perSecond else {
      refused += 1
      return .refused
    }
    admitted += 1
    defer { refused = 0 }
    return .admitted(afterRefusing: refused)
  }
}
