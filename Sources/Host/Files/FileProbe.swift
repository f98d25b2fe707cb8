internal import Events
internal import Glibc
internal import Synchronization

/// Examines and opens files on file systems that may hang. Each call uses a thread of its own and has a time
/// limit. A path that does not answer is not accessed again until it does.
@MainActor package final class FileProbe {
  /// The maximum number of threads.
  private static let most = 64
  /// The maximum number of hanging threads per caller.
  private static let mostStuck = 2
  private let patience: Duration
  private var lastThread = 0
  /// The number of running threads.
  private var threads: Set<Int> = []
  /// The threads whose time limit has passed.
  private var stuck: [Int: (caller: String, place: Place)] = [:]
  /// The callers that have a running call, with their waiting calls.
  private var turns: [String: [CheckedContinuation<Void, Never>]] = [:]

  private let startThread: (@escaping @Sendable () -> Void) -> Errno?

  /// - Parameter patience: The time limit for each file that does not answer.
  package convenience init(patience: Duration = .seconds(2)) {
    self.init(patience: patience) { work in
      let code = DetachedThread.start(work)
      return code == 0 ? nil : Errno(code)
    }
  }

  init(patience: Duration, startThread: @escaping (@escaping @Sendable () -> Void) -> Errno?) {
    self.patience = patience
    self.startThread = startThread
  }

  /// The kind of file at each path. A path that does not answer in time is `.unreachable` and delays the others
  /// by the time limit.
  package func kinds(at paths: [[UInt8]], for caller: String) async -> [FileKind] {
    await results(
      of: paths, for: caller, late: .unreachable(.errno(Errno(ETIMEDOUT))),
      unstarted: FileKind.unstarted, FileKind.init(at:))
  }

  /// Opens each file for reading.
  package func open(
    _ paths: [[UInt8]], for caller: String
  ) async -> [Result<OpenedFile, Unopened>] {
    await results(
      of: paths, for: caller, late: .failure(.errno(Errno(ETIMEDOUT))),
      unstarted: OpenedFile.unstarted, OpenedFile.open)
  }

  /// - Parameters:
  ///   - late: the result for a path that does not answer in time.
  ///   - unstarted: the result for a path when no thread could be started; nil for `late`.
  ///   - reach: returns when the folder of a path has answered.
  func results<Answer: Sendable>(
    of paths: [[UInt8]], for caller: String, late: Answer,
    unstarted: ((Errno) -> Answer)? = nil,
    reach: @escaping @Sendable ([UInt8]) -> Void = reach,
    _ ask: @escaping @Sendable ([UInt8]) -> Answer
  ) async -> [Answer] {
    await begin(caller)
    defer { end(caller) }
    var answers: [Answer] = []
    while answers.count < paths.count {
      let rest = paths[answers.count...].prefix { !isStuck($0) }
      let found = Found<Answer>()
      let mayTry =
        !rest.isEmpty && threads.count < Self.most
        && stuck.values.count { $0.caller == caller } < Self.mostStuck
      let thread: Result<Int, Errno>? =
        mayTry
        ? await inThread {
          for path in rest {
            reach(path)
            found.reached()
            guard found.add(ask(path)) else { break }
          }
        } : nil
      if case .failure(let error) = thread {
        answers.append(unstarted?(error) ?? late)
        continue
      }
      let (some, isReached) = found.take()
      answers += some
      guard some.count < rest.count || rest.isEmpty else { continue }
      if case .success(let thread) = thread, threads.contains(thread) {
        stuck[thread] = (caller, Place(paths[answers.count], isReached: isReached))
      }
      answers.append(late)
    }
    return answers
  }

  private func isStuck(_ path: [UInt8]) -> Bool {
    stuck.values.contains { $0.place.contains(path) }
  }

  /// Waits until no other call of the caller is running.
  private func begin(_ caller: String) async {
    guard turns[caller] != nil else {
      turns[caller] = []
      return
    }
    await withCheckedContinuation { turns[caller]?.append($0) }
  }

  private func end(_ caller: String) {
    guard turns[caller]?.isEmpty == false else {
      turns[caller] = nil
      return
    }
    turns[caller]?.removeFirst().resume()
  }

  /// - Returns: the thread, after it has finished or its time limit has passed; otherwise the error of
  ///   starting a thread.
  private func inThread(_ work: @escaping @Sendable () -> Void) async -> Result<Int, Errno> {
    lastThread += 1
    let thread = lastThread
    threads.insert(thread)
    let error: Errno? = await withCheckedContinuation { continuation in
      let turn = Turn(continuation)
      turn.deadline = Deadline(after: patience) { turn.end(nil) }
      let error = startThread { [self] in
        work()
        Task { @MainActor in
          threads.remove(thread)
          stuck[thread] = nil
          turn.end(nil)
        }
      }
      if let error { turn.end(error) }
    }
    guard let error else { return .success(thread) }
    threads.remove(thread)
    return .failure(error)
  }
}

extension FileKind {
  fileprivate static func unstarted(_ error: Errno) -> FileKind { .unreachable(.noThread(error)) }
}

extension OpenedFile {
  fileprivate static func unstarted(_ error: Errno) -> Result<OpenedFile, Unopened> {
    .failure(.noThread(error))
  }
}

/// Looks up the entry in its folder without following a link.
private func reach(_ path: [UInt8]) {
  var status = stat()
  _ = unsafe (path + [0]).withUnsafeBufferPointer { bytes in
    unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe lstat($0.baseAddress!, &status) }
  }
}

/// The paths that do not answer.
private enum Place {
  case file([UInt8])
  /// The folder with everything below.
  case folder(ArraySlice<UInt8>)

  /// - Parameter isReached: whether the folder has answered. If so, the path itself may be a link to another
  ///   file system.
  init(_ path: [UInt8], isReached: Bool) {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    self = if let slash, !isReached { .folder(path[...slash]) } else { .file(path) }
  }

  func contains(_ path: [UInt8]) -> Bool {
    switch self {
    case .file(let file): path == file
    case .folder(let folder): path.starts(with: folder)
    }
  }
}

/// Waits until the thread has finished, the time limit has passed, or no thread could be started.
@MainActor private final class Turn {
  private var continuation: CheckedContinuation<Errno?, Never>?
  var deadline: Deadline?

  init(_ continuation: CheckedContinuation<Errno?, Never>) { self.continuation = continuation }

  func end(_ error: Errno?) {
    deadline = nil
    continuation?.resume(returning: error)
    continuation = nil
  }
}

/// The results of a thread so far.
private final class Found<Answer: Sendable>: Sendable {
  private struct State {
    var answers: [Answer] = []
    /// Whether the folder of the next file has answered.
    var isReached = false
  }

  /// Nil after the time limit.
  private let state = Mutex<State?>(State())

  func reached() { state.withLock { $0?.isReached = true } }

  /// - Returns: False after the time limit.
  func add(_ answer: Answer) -> Bool {
    state.withLock {
      $0?.answers.append(answer)
      $0?.isReached = false
      return $0 != nil
    }
  }

  func take() -> ([Answer], isReached: Bool) {
    state.withLock { state in
      defer { state = nil }
      return (state?.answers ?? [], state?.isReached ?? false)
    }
  }
}
