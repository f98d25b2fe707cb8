internal import LaunchRules

/// The answers to recent requests, so that a repeated request has no second effect.
///
/// Looked up only for requests marked as repeated, because a daemon that has lost its record uses request
/// numbers again.
struct RequestMemory {
  private var answers: [UInt64: Bool] = [:]
  private var order: [UInt64] = []
  private let limit: Int

  init(limit: Int = RepeatedRequest.remembered) { self.limit = limit }

  /// The earlier answer; nil for a request that is new or unknown.
  func answer(to request: UInt64?, isRepeated: Bool) -> Bool? {
    guard isRepeated, let request else { return nil }
    return answers[request]
  }

  mutating func record(_ request: UInt64?, _ handled: Bool) {
    guard let request else { return }
    if answers.updateValue(handled, forKey: request) == nil { order.append(request) }
    if order.count > limit { answers[order.removeFirst()] = nil }
  }
}
