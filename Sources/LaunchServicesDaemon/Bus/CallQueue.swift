/// The order in which waiting calls are answered: the caller whose calls have taken the least time comes first, the
/// connections of one caller take turns, and the calls of one connection are answered in the order in which they came.
///
/// This is start-time fair queueing: each caller has a clock that goes on by what its calls take, and a caller that had
/// nothing to ask for a while is taken on a little before the clock of the call that is answered now. A caller with cheap
/// calls so waits for one expensive call of others, however many of them there are.
struct CallQueue<Call> {
  /// The waiting calls of one connection.
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

  /// The waiting calls of one caller, on all its connections.
  final class Share {
    fileprivate var lines = FirstInFirstOut<Line>()
    /// It waits for its turn, or one of its calls is being answered.
    fileprivate var isInTurn = false
    fileprivate(set) var count = 0
    /// Of the arguments that are held.
    fileprivate(set) var bytes = 0
    /// The clock of the caller.
    fileprivate var used: UInt64 = 0
    /// Grows with each turn; of two callers with the same clock, the one that has waited longer comes first.
    fileprivate var place: UInt64 = 0
  }

  /// A call whose turn has come. Say with `answered` what it took.
  struct Turn {
    let call: Call
    fileprivate let share: Share
  }

  fileprivate struct Waiting {
    var call: Call
    var bytes: Int
    /// What reading it took.
    var cost: UInt64
  }

  private var shares = Heap<Share> { ($0.used, $0.place) < ($1.used, $1.place) }
  /// The clock of the caller whose call is answered now, or was answered last.
  private var now: UInt64
  /// How far the clock of a caller may be behind.
  private let credit: UInt64
  /// The time that costs are differences of.
  let time: () -> UInt64
  private var lastPlace: UInt64 = 0

  /// - Parameter credit: what a caller may take before others that have used as much time.
  init(credit: UInt64 = 0, time: @escaping () -> UInt64 = { 0 }) {
    self.credit = credit
    self.time = time
    now = credit
  }

  /// Whether calls wait that are not blocked.
  var hasTurns: Bool { !shares.isEmpty }

  /// - Parameters:
  ///   - bytes: of its arguments, which are held.
  ///   - cost: what reading it took; in the unit of `answered`.
  mutating func add(_ call: Call, bytes: Int, cost: UInt64 = 0, to line: Line) {
    line.calls.append(Waiting(call: call, bytes: bytes, cost: cost))
    line.share.count += 1
    line.share.bytes += bytes
    takeTurns(line)
  }

  /// The calls of the line wait until `unblock` was called as often as this.
  func block(_ line: Line) { line.blocks += 1 }

  mutating func unblock(_ line: Line) {
    line.blocks -= 1
    takeTurns(line)
  }

  /// The connection belongs to another caller than was assumed.
  mutating func move(_ line: Line, to share: Share) {
    guard line.share !== share else { return }
    line.share.lines.removeAll { $0 === line }
    line.isInTurn = false
    for waiting in line.calls {
      line.share.count -= 1
      line.share.bytes -= waiting.bytes
      share.count += 1
      share.bytes += waiting.bytes
    }
    line.share = share
    takeTurns(line)
  }

  /// Removes the call whose turn comes next.
  /// - Parameter mayAnswer: Asked about the first call of a connection; its turn passes when this is false.
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

  /// The call was answered, or what can be done about it now is done.
  /// - Parameter cost: what that took.
  mutating func answered(_ turn: Turn, cost: UInt64) {
    let share = turn.share
    share.used += cost
    share.isInTurn = false
    if !share.lines.isEmpty { takeTurns(share) }
    // When nobody waits, what was used is forgiven to those who have used less.
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

  /// Removes the first call of the line out of turn.
  func removeFirst(of line: Line) -> Call? { remove(of: line)?.call }

  private func remove(of line: Line) -> Waiting? {
    guard let first = line.calls.removeFirst() else { return nil }
    line.share.count -= 1
    line.share.bytes -= first.bytes
    return first
  }

  /// Removes the calls of the line for which `isUseless` is true.
  func removeAll(of line: Line, where isUseless: (Call) -> Bool) -> [Call] {
    var removed: [Call] = []
    line.calls.removeAll { waiting in
      guard isUseless(waiting.call) else { return false }
      removed.append(waiting.call)
      line.share.count -= 1
      line.share.bytes -= waiting.bytes
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
