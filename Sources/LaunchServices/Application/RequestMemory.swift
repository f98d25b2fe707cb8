internal import LaunchRules

/// The answers to recent requests, so that a repeated request has no second effect.
///
/// Looked up only for requests marked as repeated, because a daemon that has lost its record uses request
/// numbers again.
struct RequestMemory {
  /// For each URL of a request, whether it was handled.
  private var answers: [UInt64: [Bool]] = [:]
  private var order: [UInt64] = []
  private let limit: Int

  init(limit: Int = RepeatedRequest.remembered) { self.limit = limit }

  /// The earlier answers; nil for a request that is new or unknown.
  func answers(to request: UInt64?, isRepeated: Bool) -> [Bool]? {
    guard isRepeated, let request else { return nil }
    return answers[request]
  }

  /// The earlier answer to a request without several URLs; nil for a request that is new or unknown.
  func answer(to request: UInt64?, isRepeated: Bool) -> Bool? {
    answers(to: request, isRepeated: isRepeated)?.first
  }

  mutating func record(_ request: UInt64?, _ handled: [Bool]) {
    guard let request else { return }
    // A daemon that has lost its record uses a number again: the answer is the newest one then.
    if answers.updateValue(handled, forKey: request) != nil { order.removeAll { $0 == request } }
    order.append(request)
    if order.count > limit { answers[order.removeFirst()] = nil }
  }

  mutating func record(_ request: UInt64?, _ handled: Bool) { record(request, [handled]) }
}
