internal import DBus

/// Calls that wait, each caller's in its order, and the callers in turn: one that floods us makes
/// itself wait and nobody else.
struct FairQueue {
  private var calls: [String: Waiting] = [:]
  /// Callers with waiting calls, in the order of their turns.
  private var turns: [String] = []
  private var nextTurn = 0
  /// Callers whose turn does not come before this instant, in nanoseconds.
  private var held: [String: UInt64] = [:]

  private struct Waiting {
    var calls: [PendingCall?] = []
    var first = 0
    var count: Int { calls.count - first }

    /// A caller that never runs out of calls must not make this grow.
    mutating func forgetTaken() {
      guard first >= 64, first * 2 >= calls.count else { return }
      calls.removeFirst(first)
      first = 0
    }
  }

  /// A caller that went over a limit is not answered before this instant, so that one that goes on
  /// asking wears out nobody but itself.
  mutating func hold(_ caller: String, until instant: UInt64) {
    held[caller] = instant
  }

  /// When there is something to answer: at once, later, or nil when nothing waits.
  func nextTurn(at now: UInt64) -> UInt64? {
    turns.lazy.map(turn).min().map { max($0, now) }
  }

  /// Not before this instant. A call with descriptors is not held, for when there are too many of those
  /// nothing more is read, of anybody.
  private func turn(of caller: String) -> UInt64 {
    guard let instant = held[caller], let waiting = calls[caller] else { return 0 }
    return waiting.calls[waiting.first]?.holdsDescriptors == true ? 0 : instant
  }

  /// - Returns: false, and the call is not taken, when its caller has `limit` that wait.
  mutating func add(_ call: PendingCall, limit: Int) -> Bool {
    let caller = call.sender
    guard calls[caller, default: Waiting()].count < limit else { return false }
    if calls[caller]?.calls.isEmpty ?? true { turns.append(caller) }
    calls[caller, default: Waiting()].calls.append(call)
    return true
  }

  /// The next call of the caller whose turn it is.
  mutating func next(at now: UInt64) -> PendingCall? {
    for _ in 0..<turns.count {
      if nextTurn >= turns.count { nextTurn = 0 }
      let caller = turns[nextTurn]
      guard turn(of: caller) <= now else {
        nextTurn += 1
        continue
      }
      if let instant = held[caller], instant <= now { held[caller] = nil }
      return takeFirst(of: caller)
    }
    return nil
  }

  private mutating func takeFirst(of caller: String) -> PendingCall? {
    guard let index = calls.index(forKey: caller) else { return nil }
    let first = calls.values[index].first
    let call = calls.values[index].calls[first]
    calls.values[index].calls[first] = nil
    calls.values[index].first += 1
    if calls.values[index].count == 0 {
      calls[caller] = nil
      turns.remove(at: nextTurn)
    } else {
      nextTurn += 1
      calls.values[index].forgetTaken()
    }
    return call
  }

  /// All calls of a caller, which has left.
  mutating func takeAll(of caller: String) -> [PendingCall] {
    held[caller] = nil
    guard let waiting = calls.removeValue(forKey: caller) else { return [] }
    if let turn = turns.firstIndex(of: caller) {
      turns.remove(at: turn)
      if turn < nextTurn { nextTurn -= 1 }
    }
    return waiting.calls.compactMap(\.self)
  }
}
