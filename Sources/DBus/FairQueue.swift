/// Calls that wait, each caller's in its order, and the callers in turn: one that floods us makes
/// itself wait and nobody else.
struct FairQueue {
  private var calls: [String: Waiting] = [:]
  /// Callers with waiting calls, in the order of their turns.
  private var turns: [String] = []
  private var nextTurn = 0

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

  var isEmpty: Bool { calls.isEmpty }

  /// - Returns: false, and the call is not taken, when its caller has `limit` that wait.
  mutating func add(_ call: PendingCall, limit: Int) -> Bool {
    let caller = call.sender
    guard calls[caller, default: Waiting()].count < limit else { return false }
    if calls[caller]?.calls.isEmpty ?? true { turns.append(caller) }
    calls[caller, default: Waiting()].calls.append(call)
    return true
  }

  /// The next call of the caller whose turn it is.
  mutating func next() -> PendingCall? {
    guard !turns.isEmpty else { return nil }
    if nextTurn >= turns.count { nextTurn = 0 }
    let caller = turns[nextTurn]
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
    guard let waiting = calls.removeValue(forKey: caller) else { return [] }
    if let turn = turns.firstIndex(of: caller) {
      turns.remove(at: turn)
      if turn < nextTurn { nextTurn -= 1 }
    }
    return waiting.calls.compactMap(\.self)
  }
}
