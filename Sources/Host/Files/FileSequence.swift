internal import Events
internal import Synchronization

/// Asks about files one after the other on another thread, and passes over a file that does not answer.
package enum FileSequence {
  /// The time after which a file is passed over at the earliest; twice as long at most.
  package static let patience = Duration.seconds(2)

  /// - Parameters:
  ///   - path: the path of an item.
  ///   - ask: called on another thread; may block.
  /// - Returns: the answer for each item; nil for an item that did not answer.
  package static func answers<Item: Sendable, Answer: Sendable>(
    about items: ArraySlice<Item>, patience: Duration = FileSequence.patience,
    path: @escaping @Sendable (Item) -> String, _ ask: @escaping @Sendable (Item) -> Answer
  ) async -> [Answer?] {
    var answers: [Answer?] = []
    while answers.count < items.count {
      let rest = items.dropFirst(answers.count)
      let next = path(rest[rest.startIndex])
      guard UnansweredCalls.mayAsk(next) else {
        answers.append(nil)
        continue
      }
      let run = Run<Answer>()
      let code = DetachedThread.start {
        run.begin()
        for (number, item) in rest.enumerated() {
          guard number == 0 || UnansweredCalls.mayAsk(path(item)), run.add(ask(item)) else { break }
        }
        run.end()
      }
      guard code == 0 else {
        answers.append(nil)
        continue
      }
      answers += await run.answers(patience) { path(rest[rest.startIndex + $0]) }
    }
    return answers
  }
}

/// The answers of one thread.
private final class Run<Answer: Sendable>: Sendable {
  private struct State {
    var answers: [Answer?] = []
    var hasEnded = false
    var thread: KernelTask?
    /// The number of the unanswered call.
    var late: Int?
    var waiter: CheckedContinuation<[Answer?], Never>?

    mutating func finish() -> (CheckedContinuation<[Answer?], Never>, [Answer?])? {
      defer { waiter = nil }
      return waiter.map { ($0, answers) }
    }
  }

  private let state = Mutex(State())

  func begin() { state.withLock { $0.thread = .current } }

  /// - Returns: false when the answer came too late.
  func add(_ answer: Answer) -> Bool {
    state.withLock { state in
      guard state.late == nil else { return false }
      state.answers.append(answer)
      return true
    }
  }

  func end() {
    let (late, waiter) = state.withLock { state in
      state.hasEnded = true
      return (state.late, state.finish())
    }
    if let late { UnansweredCalls.remove(late) }
    if let (waiter, answers) = waiter { waiter.resume(returning: answers) }
  }

  /// What was seen of the thread.
  private struct Look {
    var answers = 0
    /// The number of looks with as many answers, one after the other.
    var unchanged = 0
    /// See `KernelTask.processorTime`.
    var processorTime: UInt64?
  }

  /// Ends the waiting if there has been no new answer for two looks, and the thread has done nothing since the last one: a
  /// thread that works on a busy machine also sleeps at times.
  private func giveUp(
    after last: inout Look, _ path: (Int) -> String
  ) -> (CheckedContinuation<[Answer?], Never>, [Answer?])? {
    state.withLock { state in
      let count = state.answers.count
      let time = state.thread?.processorTime
      let isIdle = time == last.processorTime
      last = Look(
        answers: count, unchanged: count == last.answers ? last.unchanged + 1 : 0,
        processorTime: time)
      guard last.unchanged >= 2, isIdle, state.waiter != nil, state.thread?.sleeps == true
      else { return nil }
      state.late = UnansweredCalls.add(path(count))
      state.answers.append(nil)
      return state.finish()
    }
  }

  /// Returns when the thread has ended, or has given no answer for `patience`; then the last answer is nil.
  /// - Parameter path: the path of the item with a number.
  func answers(_ patience: Duration, path: @escaping @Sendable (Int) -> String) async -> [Answer?] {
    let watch = Task { [self] in
      var last = Look()
      while !Task.isCancelled {
        try await Task.sleep(for: patience / 2)
        guard let (waiter, answers) = giveUp(after: &last, path) else { continue }
        return waiter.resume(returning: answers)
      }
    }
    defer { watch.cancel() }
    return await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.hasEnded { state.waiter = continuation }
        return state.hasEnded
      }
      if isOver { continuation.resume(returning: state.withLock { $0.answers }) }
    }
  }
}
