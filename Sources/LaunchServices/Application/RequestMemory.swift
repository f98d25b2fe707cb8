/// What was answered to recent requests, so that none is acted on twice.
///
/// Asked only for a request that may have arrived before, because a daemon that has lost its record
/// gives numbers out again.
struct RequestMemory {
  private var answers: [UInt64: Bool] = [:]
  private var order: [UInt64] = []
  private let limit: Int

  init(limit: Int = 1000) { self.limit = limit }

  /// The answer that was given; nil when the request is not known.
  func answer(to request: UInt64?, isRepeated: Bool) -> Bool? {
    guard isRepeated, let request else { return nil }
    return answers[request]
  }

  mutating func note(_ request: UInt64?, _ handled: Bool) {
    guard let request else { return }
    if answers.updateValue(handled, forKey: request) == nil { order.append(request) }
    if order.count > limit { answers[order.removeFirst()] = nil }
  }
}
