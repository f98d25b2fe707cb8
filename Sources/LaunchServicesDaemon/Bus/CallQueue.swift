/// A fair queue of calls. The caller that has used the least time comes first. The connections of one caller
/// take turns. Calls of one connection keep the order of arrival.
///
/// The algorithm is start-time fair queueing: each caller has a clock that advances by the cost of its calls.
/// The clock of a caller that was idle is set to the queue clock minus `credit`. A caller with cheap calls
/// therefore waits for at most one expensive call of other callers, regardless of their number.
struct CallQueue<Call> {
  /// The queued calls of one connection.
  final class Line {
    fileprivate(set) var share: Share
    fileprivate var calls = FirstInFirstOut<Waiting>()
    fileprivate var blocks = 0
    fileprivate var isInTurn = false

    init(_ share: Share) { self.share = share }

    var count: Int { calls.count }
    var isEmpty: Bool { calls.isEmpty }
    var isBlocked: Bool { blocks > 0 }
  }

  /// Callers with a common limit.
  final class Group {
    /// Size of the arguments of the queued calls, in bytes.
    fileprivate(set) var bytes = 0
  }

  /// The queued calls of one caller, on all its connections.
  final class Share {
    /// The groups that the caller belongs to, outermost first.
    let groups: [Group]
    fileprivate var lines = FirstInFirstOut<Line>()
    /// True while the share is in the heap or one of its calls is being answered.
    fileprivate var isInTurn = false
    fileprivate(set) var count = 0
    /// Size of the arguments of the queued calls, in bytes.
    fileprivate(set) var bytes = 0
    /// The clock of the caller: the cost of its calls so far.
    fileprivate var used: UInt64 = 0
    /// Turn number. Of two callers with the same clock, the one with the lower number comes first.
    fileprivate var place: UInt64 = 0

    init(in groups: [Group] = []) { self.groups = groups }

    fileprivate func add(_ added: Int) {
      count += 1
      bytes += added
      for group in groups { group.bytes += added }
    }

    fileprivate func remove(_ removed: Int) {
      count -= 1
      bytes -= removed
      for group in groups { group.bytes -= removed }
    }
  }

  /// A call removed from the queue. Report its cost with `answered`.
  struct Turn {
    let call: Call
    fileprivate let share: Share
  }

  fileprivate struct Waiting {
    var call: Call
    var bytes: Int
    /// Cost of reading the call.
    var cost: UInt64
  }

  private var shares = Heap<Share> { ($0.used, $0.place) < ($1.used, $1.place) }
  /// The queue clock: the clock of the caller whose call was started last.
  private var now: UInt64
  /// Maximum lag of the clock of a caller behind the queue clock.
  private let credit: UInt64
  /// The clock that costs are measured with.
  let time: () -> UInt64
  private var lastPlace: UInt64 = 0

  /// - Parameter credit: the maximum lag of the clock of a caller behind the queue clock, in the unit of
  ///   costs.
  init(credit: UInt64 = 0, time: @escaping () -> UInt64 = { 0 }) {
    self.credit = credit
    self.time = time
    now = credit
  }

  /// - Parameters:
  ///   - bytes: size of the arguments that are kept.
  ///   - cost: cost of reading the call, in the unit of `answered`.
  mutating func add(_ call: Call, bytes: Int, cost: UInt64 = 0, to line: Line) {
    line.calls.append(Waiting(call: call, bytes: bytes, cost: cost))
    line.share.add(bytes)
    takeTurns(line)
  }

  /// Puts back the call that was removed last from the line: another turn is needed to answer it.
  mutating func putBack(_ call: Call, bytes: Int, to line: Line) {
    line.calls.prepend(Waiting(call: call, bytes: bytes, cost: 0))
    line.share.add(bytes)
    takeTurns(line)
  }

  /// Blocks the calls of the line. Each `block` needs one `unblock`.
  func block(_ line: Line) { line.blocks += 1 }

  mutating func unblock(_ line: Line) {
    line.blocks -= 1
    takeTurns(line)
  }

  /// Moves the calls of a connection to another caller.
  mutating func move(_ line: Line, to share: Share) {
    guard line.share !== share else { return }
    line.share.lines.removeAll { $0 === line }
    line.isInTurn = false
    for waiting in line.calls {
      line.share.remove(waiting.bytes)
      share.add(waiting.bytes)
    }
    line.share = share
    takeTurns(line)
  }

  /// Removes and returns the next call.
  /// - Parameter mayAnswer: called with the first call of a connection; the turn of the connection is skipped
  ///   when it returns false.
  mutating func next(where mayAnswer: (Call) -> Bool) -> Turn? {
    var passed: [Share] = []
    defer { for share in passed { shares.insert(share) } }
    while let share = shares.removeFirst() {
      if let waiting = next(of: share, where: mayAnswer) {
        now = max(now, share.used)
        share.used += waiting.cost
        return Turn(call: waiting.call, share: share)
      }
      if share.lines.isEmpty { share.isInTurn = false } else { passed.append(share) }
    }
    return nil
  }

  /// Ends the turn of a call.
  /// - Parameter cost: the cost of answering the call.
  mutating func answered(_ turn: Turn, cost: UInt64) {
    let share = turn.share
    share.used += cost
    share.isInTurn = false
    if !share.lines.isEmpty { takeTurns(share) }
    // With an empty queue, differences between the clocks of callers are dropped.
    if shares.isEmpty { now = max(now, share.used) }
  }

  private func next(of share: Share, where mayAnswer: (Call) -> Bool) -> Waiting? {
    for _ in 0..<share.lines.count {
      guard let line = share.lines.removeFirst() else { return nil }
      guard !line.isBlocked, let first = line.calls.first else {
        line.isInTurn = false
        continue
      }
      let call = mayAnswer(first.call) ? remove(of: line) : nil
      line.isInTurn = !line.isEmpty
      if line.isInTurn { share.lines.append(line) }
      if let call { return call }
    }
    return nil
  }

  /// Removes the first call of the line, regardless of turns.
  func removeFirst(of line: Line) -> Call? { remove(of: line)?.call }

  private func remove(of line: Line) -> Waiting? {
    guard let first = line.calls.removeFirst() else { return nil }
    line.share.remove(first.bytes)
    return first
  }

  /// Removes the calls of the line for which `isUseless` is true.
  func removeAll(of line: Line, where isUseless: (Call) -> Bool) -> [Call] {
    var removed: [Call] = []
    line.calls.removeAll { waiting in
      guard isUseless(waiting.call) else { return false }
      removed.append(waiting.call)
      line.share.remove(waiting.bytes)
      return true
    }
    return removed
  }

  private mutating func takeTurns(_ line: Line) {
    guard !line.isInTurn, !line.isBlocked, !line.isEmpty else { return }
    line.isInTurn = true
    line.share.lines.append(line)
    if !line.share.isInTurn { takeTurns(line.share) }
  }

  private mutating func takeTurns(_ share: Share) {
    share.isInTurn = true
    share.used = max(share.used, now - credit)
    lastPlace += 1
    share.place = lastPlace
    shares.insert(share)
  }
}
