/// Lets so many through in each second and counts the rest.
struct RateLimit {
  let perSecond: Int
  private var second: UInt64 = 0
  private var admitted = 0
  private var refused = 0

  init(perSecond: Int) { self.perSecond = perSecond }

  enum Answer: Equatable {
    /// With the number that was refused since the last that was admitted.
    case admitted(afterRefusing: Int)
    case refused
  }

  /// `now` is in microseconds and does not go back.
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
