internal import DesktopEntries
internal import LaunchRules

/// The results of recent requests, so that a URL that is delivered again after a restart of the daemon is not
/// opened twice.
struct AnswerMemory {
  typealias Known = Result<HandOver, DesktopFailure>
  typealias Answer = (Known) -> Void

  private enum Entry {
    case underWay(waiting: [Answer])
    case answered(Known)
  }

  private var entries: [UInt64: Entry] = [:]
  private var order: [UInt64] = []
  private let limit: Int

  init(limit: Int = RepeatedRequest.remembered) { self.limit = limit }

  /// Whether the request is to be processed. If false, `answer` receives the result of the earlier delivery.
  ///
  /// Only a request marked as repeated is compared, because a daemon that has lost its record reuses request
  /// numbers.
  mutating func begins(_ request: UInt64?, isRepeated: Bool, _ answer: @escaping Answer) -> Bool {
    guard let request else { return true }
    switch entries[request] {
    case .answered(let known) where isRepeated:
      answer(known)
      return false
    case .underWay(let waiting) where isRepeated:
      entries[request] = .underWay(waiting: waiting + [answer])
      return false
    case .answered, .underWay, nil:
      if entries.updateValue(.underWay(waiting: []), forKey: request) == nil {
        order.append(request)
      }
      if order.count > limit { entries[order.removeFirst()] = nil }
      return true
    }
  }

  /// More is known of a request that was answered.
  mutating func learned(_ request: UInt64, _ handOver: HandOver) {
    guard case .answered(.success) = entries[request] else { return }
    entries[request] = .answered(.success(handOver))
  }

  mutating func ended(_ request: UInt64?, _ known: Known) {
    guard let request, case .underWay(let waiting) = entries[request] else { return }
    entries[request] = .answered(known)
    for answer in waiting { answer(known) }
  }
}
