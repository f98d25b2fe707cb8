internal import Dispatch
internal import Glibc
internal import Synchronization

/// A thread of its own that does one thing after the other. Not one of a pool, which it would keep from others
/// while another process has locked the record.
final class RecordThread: Sendable {
  private struct State {
    var tasks: [RecordTask] = []
    var isEnding = false
  }

  private let state = Mutex(State())
  private let signal = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - begin: makes what the tasks are done with; called on the thread, and what it makes stays there.
  ///   - done: called on the thread with the tickets that are done, and whether each was written.
  init(
    _ begin: @escaping @Sendable () -> RecordFile,
    done: @escaping @Sendable ([(ticket: UInt64, isWritten: Bool)]) -> Void
  ) {
    let work = Work { [self] in
      let file = begin()
      while let tasks = next() { file.perform(tasks, done: done) }
    }
    // The signals of the process are not this thread's business.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let held = unsafe Unmanaged.passRetained(work)
    let error = unsafe pthread_create(
      &thread, nil,
      { raw in
        if let raw = unsafe raw {
          unsafe Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body()
        }
        return nil
      }, held.toOpaque())
    precondition(
      error == 0,
      "no thread can be started for the record: error \(error); this user may have as many processes and threads as"
        + " RLIMIT_NPROC or TasksMax allows")
    pthread_detach(thread)
  }

  func add(_ task: RecordTask) {
    state.withLock { $0.tasks.append(task) }
    signal.signal()
  }

  /// Everything that is to be done; waits for it. Nil at the end.
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

  /// The thread ends when all is done.
  func end() {
    state.withLock { $0.isEnding = true }
    signal.signal()
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
