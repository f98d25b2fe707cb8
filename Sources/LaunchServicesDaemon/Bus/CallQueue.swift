/// The order in which waiting calls are answered: callers take turns, the connections of one caller take turns within
/// the caller's turn, and the calls of one connection are answered in the order in which they came.
struct CallQueue<Call> {
  /// The waiting calls of one connection.
  final class Line {
    fileprivate(set) var share: Share
    fileprivate var calls = FirstInFirstOut<(call: Call, bytes: Int)>()
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
    fileprivate var isInTurn = false
    fileprivate(set) var count = 0
    /// Of the arguments that are held.
    fileprivate(set) var bytes = 0
  }

  private var shares = FirstInFirstOut<Share>()

  /// Whether calls wait that are not blocked.
  var hasTurns: Bool { !shares.isEmpty }

  mutating func add(_ call: Call, bytes: Int, to line: Line) {
    line.calls.append((call, bytes))
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
    for (_, bytes) in line.calls {
      line.share.count -= 1
      line.share.bytes -= bytes
      share.count += 1
      share.bytes += bytes
    }
    line.share = share
    takeTurns(line)
  }

  /// Removes the call whose turn comes next.
  /// - Parameter mayAnswer: Asked about the first call of a connection; its turn passes when this is false.
  mutating func next(where mayAnswer: (Call) -> Bool) -> Call? {
    for _ in 0..<shares.count {
      guard let share = shares.removeFirst() else { return nil }
      let call = next(of: share, where: mayAnswer)
      share.isInTurn = !share.lines.isEmpty
      if share.isInTurn { shares.append(share) }
      if let call { return call }
    }
    return nil
  }

  private func next(of share: Share, where mayAnswer: (Call) -> Bool) -> Call? {
    for _ in 0..<share.lines.count {
      guard let line = share.lines.removeFirst() else { return nil }
      guard !line.isBlocked, let first = line.calls.first else {
        line.isInTurn = false
        continue
      }
      let mayAnswer = mayAnswer(first.call)
      let call = mayAnswer ? removeFirst(of: line) : nil
      line.isInTurn = !line.isEmpty
      if line.isInTurn { share.lines.append(line) }
      if let call { return call }
    }
    return nil
  }

  /// Removes the first call of the line out of turn.
  func removeFirst(of line: Line) -> Call? {
    guard let first = line.calls.removeFirst() else { return nil }
    line.share.count -= 1
    line.share.bytes -= first.bytes
    return first.call
  }

  /// Removes the calls of the line for which `isUseless` is true.
  func removeAll(of line: Line, where isUseless: (Call) -> Bool) -> [Call] {
    var removed: [Call] = []
    line.calls.removeAll { call, bytes in
      guard isUseless(call) else { return false }
      removed.append(call)
      line.share.count -= 1
      line.share.bytes -= bytes
      return true
    }
    return removed
  }

  private mutating func takeTurns(_ line: Line) {
    guard !line.isInTurn, !line.isBlocked, !line.isEmpty else { return }
    line.isInTurn = true
    line.share.lines.append(line)
    guard !line.share.isInTurn else { return }
    line.share.isInTurn = true
    shares.append(line.share)
  }
}

/// A queue whose operations at both ends take constant time on average.
struct FirstInFirstOut<Element>: Sequence {
  private var elements: [Element?] = []
  private var start = 0

  var count: Int { elements.count - start }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : elements[start] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func removeFirst() -> Element? {
    guard let element = first else { return nil }
    elements[start] = nil
    start += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: elements.count <= 64)
      start = 0
    } else if start >= 64, start * 2 >= elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }

  mutating func removeAll(where isUseless: (Element) -> Bool) {
    elements = elements[start...].filter { element in
      guard let element else { return false }
      return !isUseless(element)
    }
    start = 0
  }

  func makeIterator() -> some IteratorProtocol<Element> {
    elements[start...].lazy.compactMap(\.self).makeIterator()
  }
}
