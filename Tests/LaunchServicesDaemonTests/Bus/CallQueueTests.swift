import Testing

@testable import LaunchServicesDaemon

@MainActor @Suite("Waiting calls") struct CallQueueTests {
  private typealias Queue = CallQueue<String>

  private func drain(_ queue: inout Queue, where mayAnswer: (String) -> Bool = { _ in true })
    -> [String]
  {
    var calls: [String] = []
    while let turn = queue.next(where: mayAnswer) {
      calls.append(turn.call)
      queue.answered(turn, cost: 0)
    }
    return calls
  }

  @Test(
    "are answered in turn: callers, then the connections of a caller, then the calls of a connection"
  )
  func turns() {
    var queue = Queue()
    let (flooding, other) = (Queue.Share(), Queue.Share())
    let lines = [Queue.Line(flooding), Queue.Line(flooding), Queue.Line(other)]
    for number in 0..<3 { queue.add("a\(number)", bytes: 0, to: lines[0]) }
    for number in 0..<2 { queue.add("b\(number)", bytes: 0, to: lines[1]) }
    for number in 0..<2 { queue.add("c\(number)", bytes: 0, to: lines[2]) }
    #expect(drain(&queue) == ["a0", "c0", "b0", "c1", "a1", "b1", "a2"])
  }

  @Test("of a caller with cheap calls come next, however many callers have expensive ones")
  func expensive() throws {
    var queue = Queue(credit: 10)
    for caller in 0..<6 {
      let line = Queue.Line(Queue.Share())
      for _ in 0..<100 { queue.add("expensive \(caller)", bytes: 0, cost: 3, to: line) }
    }
    func answer(_ count: Int) -> [String] {
      (0..<count).compactMap { _ in
        guard let turn = queue.next(where: { _ in true }) else { return nil }
        queue.answered(turn, cost: turn.call.hasPrefix("cheap") ? 1 : 9)
        return turn.call
      }
    }
    // Each of them has its first turn.
    #expect(Set(answer(6)).count == 6)
    let bystander = Queue.Line(Queue.Share())
    for round in 0..<50 {
      #expect(answer(1).first?.hasPrefix("expensive") == true)
      queue.add("cheap \(round)", bytes: 0, to: bystander)
      #expect(answer(1) == ["cheap \(round)"])
    }
    // All expensive callers get the same.
    let rest = answer(300)
    for caller in 0..<6 {
      #expect(abs(rest.count { $0 == "expensive \(caller)" } - 50) <= 1)
    }
  }

  @Test("of a caller that has saved nothing up take turns with those of others") func idle() throws
  {
    var queue = Queue(credit: 2)
    let busy = Queue.Line(Queue.Share())
    for _ in 0..<1000 { queue.add("busy", bytes: 0, to: busy) }
    for _ in 0..<500 {
      let turn = try #require(queue.next { _ in true })
      queue.answered(turn, cost: 10)
    }
    let idle = Queue.Line(Queue.Share())
    for _ in 0..<100 { queue.add("idle", bytes: 0, to: idle) }
    var answered: [String] = []
    for _ in 0..<100 {
      let turn = try #require(queue.next { _ in true })
      answered.append(turn.call)
      queue.answered(turn, cost: 10)
    }
    #expect(abs(answered.count { $0 == "idle" } - 50) <= 1)
  }

  @Test("of a blocked connection keep their places, and others are answered meanwhile")
  func blocks() {
    var queue = Queue()
    let lines = [Queue.Line(Queue.Share()), Queue.Line(Queue.Share())]
    for number in 0..<2 { queue.add("a\(number)", bytes: 0, to: lines[0]) }
    queue.block(lines[0])
    queue.block(lines[0])
    queue.add("b0", bytes: 0, to: lines[1])
    #expect(drain(&queue) == ["b0"])
    queue.unblock(lines[0])
    #expect(drain(&queue) == [])
    queue.unblock(lines[0])
    #expect(drain(&queue) == ["a0", "a1"])
  }

  @Test("of a caller that does not read are passed over until it reads") func unread() {
    var queue = Queue()
    let lines = [Queue.Line(Queue.Share()), Queue.Line(Queue.Share())]
    queue.add("a0", bytes: 0, to: lines[0])
    queue.add("b0", bytes: 0, to: lines[1])
    #expect(drain(&queue) { $0 != "a0" } == ["b0"])
    #expect(drain(&queue) == ["a0"])
  }

  @Test("of a connection count for the caller that is found out to have made it") func move() {
    var queue = Queue()
    let share = Queue.Share()
    let known = Queue.Line(share)
    let new = Queue.Line(Queue.Share())
    for number in 0..<2 { queue.add("a\(number)", bytes: 10, to: known) }
    for number in 0..<2 { queue.add("b\(number)", bytes: 5, to: new) }
    queue.move(new, to: share)
    #expect((share.count, share.bytes) == (4, 30))
    let other = Queue.Line(Queue.Share())
    queue.add("c0", bytes: 0, to: other)
    #expect(drain(&queue) == ["a0", "c0", "b0", "a1", "b1"])
    #expect((share.count, share.bytes) == (0, 0))
  }

  @Test("count for each group of their caller until they are removed") func groups() {
    var queue = Queue()
    let (outer, one, other) = (Queue.Group(), Queue.Group(), Queue.Group())
    func bytes() -> [Int] { [outer.bytes, one.bytes, other.bytes] }
    let share = Queue.Share(in: [outer, one])
    let line = Queue.Line(share)
    for number in 1...4 { queue.add("\(number)", bytes: number, to: line) }
    #expect(bytes() == [10, 10, 0])
    #expect(queue.removeFirst(of: line) == "1")
    #expect(queue.removeAll(of: line) { $0 == "3" } == ["3"])
    #expect(bytes() == [6, 6, 0])
    queue.move(line, to: Queue.Share(in: [outer, other]))
    #expect(bytes() == [6, 0, 6])
    #expect(drain(&queue) == ["2", "4"])
    #expect(bytes() == [0, 0, 0])
  }

  @Test("that nobody needs any more are removed, and the others keep their order") func removal() {
    var queue = Queue()
    let line = Queue.Line(Queue.Share())
    for number in 0..<5 { queue.add("\(number)", bytes: 1, to: line) }
    #expect(queue.removeFirst(of: line) == "0")
    #expect(queue.removeAll(of: line) { $0 == "2" || $0 == "4" } == ["2", "4"])
    #expect(line.share.bytes == 2)
    #expect(drain(&queue) == ["1", "3"])
  }

  @Test("are answered in order when very many come and go") func many() {
    var queue = Queue()
    let line = Queue.Line(Queue.Share())
    var answered: [String] = []
    for number in 0..<1000 {
      queue.add("\(number)", bytes: 1, to: line)
      if number % 3 != 0, let turn = queue.next(where: { _ in true }) {
        answered.append(turn.call)
        queue.answered(turn, cost: 1)
      }
    }
    answered += drain(&queue)
    #expect(answered == (0..<1000).map(String.init))
  }
}
