internal import Dispatch
internal import Events
internal import Synchronization

/// A thread that performs the tasks of the record one after the other. A thread of a pool would be blocked while
/// another process has locked the record.
final class RecordThread: Sendable {
  private struct State {
    var tasks: [RecordTask] = []
    var isEnding = false
  }

  private let state = Mutex(State())
  private let signal = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - begin: makes the value that performs the tasks; called on the thread, which alone uses the value.
  ///   - done: called on the thread with the tickets of performed tasks, and whether each was written.
  init(
    _ begin: @escaping @Sendable () -> RecordFile,
    done: @escaping @Sendable ([(ticket: UInt64, isWritten: Bool)]) -> Void
  ) {
    let error = DetachedThread.start { [self] in
      let file = begin()
      while let tasks = next() { file.perform(tasks, done: done) }
    }
    precondition(
      error == 0,
      "no thread can be started for the record: error \(error); this user may have as many processes and threads as"
        + " RLIMIT_NPROC or TasksMax allows")
  }

  func add(_ task: RecordTask) {
    state.withLock { $0.tasks.append(task) }
    signal.signal()
  }

  /// Waits for tasks and returns all of them; nil when the thread is to end.
  private func next() -> [RecordTask]? {
    while true {
      signal.wait()
      let (tasks, isEnding) = state.withLock { state in
        defer { state.tasks = [] }
        return (state.tasks, state.isEnding)
      }
      if !tasks.isEmpty { return tasks }
      if isEnding { return nil }
    }
  }

  /// Ends the thread after the last task.
  func end() {
    state.withLock { $0.isEnding = true }
    signal.signal()
  }
}
