internal import Glibc
internal import Synchronization

/// What is at a path.
package enum FileGlance: Hashable, Sendable {
  case file(isExecutable: Bool)
  case folder
  /// A FIFO, a socket or a device.
  case special
  case unreachable(Errno)

  /// At the end of all symbolic links. Opens nothing, so that no FIFO is waited for.
  init(at path: [UInt8]) {
    var status = stat()
    let code = unsafe (path + [0]).withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe stat($0.baseAddress!, &status) }
    }
    guard code == 0 else {
      self = .unreachable(.last)
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file(isExecutable: status.st_mode & 0o111 != 0)
    case S_IFDIR: self = .folder
    default: self = .special
    }
  }
}

/// A file that is open for reading, until nobody holds it.
package final class OpenedFile: Sendable {
  package let number: Int32

  private init(adopting number: Int32) { self.number = number }

  deinit { close(number) }

  /// Opens a regular file or a folder, and nothing else.
  static func open(_ path: [UInt8]) -> Result<OpenedFile, Errno> {
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
    let number = unsafe (path + [0]).withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) {
        unsafe Glibc.open($0.baseAddress!, flags, 0)
      }
    }
    guard number >= 0 else { return .failure(.last) }
    let file = OpenedFile(adopting: number)
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else { return .failure(.last) }
    guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
      return .failure(Errno(EINVAL))
    }
    // Who gets it expects to wait.
    _ = fcntl(number, F_SETFL, 0)
    return .success(file)
  }
}

/// Looks at files of which nobody knows whether their file system answers. Each question has a thread of its own
/// for as long as that takes, and nobody waits longer than for the time given.
@MainActor package final class FileLooker {
  /// Threads that may be stuck at once.
  private static let most = 16
  private var underWay = 0
  private let patience: Duration

  /// - Parameter patience: how long one file may take.
  package init(patience: Duration = .seconds(2)) { self.patience = patience }

  /// What is at each path. One that does not answer in time is `.unreachable`, and delays the others that long.
  package func glances(at paths: [[UInt8]]) async -> [FileGlance] {
    await results(of: paths, late: .unreachable(Errno(ETIMEDOUT))) { FileGlance(at: $0) }
  }

  /// Opens each for reading.
  package func open(_ paths: [[UInt8]]) async -> [Result<OpenedFile, Errno>] {
    await results(of: paths, late: .failure(Errno(ETIMEDOUT))) { OpenedFile.open($0) }
  }

  func results<Answer: Sendable>(
    of paths: [[UInt8]], late: Answer, _ ask: @escaping @Sendable ([UInt8]) -> Answer
  ) async -> [Answer] {
    var answers: [Answer] = []
    while answers.count < paths.count {
      let rest = paths[answers.count...]
      let found = Found<Answer>()
      let isDone = await inThread {
        for path in rest where !found.add(ask(path)) { break }
      }
      answers += found.take()
      if !isDone, answers.count < paths.count { answers.append(late) }
    }
    return answers
  }

  /// - Returns: false when it is not done in time.
  private func inThread(_ work: @escaping @Sendable () -> Void) async -> Bool {
    guard underWay < Self.most else { return false }
    underWay += 1
    return await withCheckedContinuation { continuation in
      let turn = Turn(continuation)
      turn.deadline = Deadline(after: patience) { turn.end(false) }
      let isStarted = detach { [self] in
        work()
        Task { @MainActor in
          underWay -= 1
          turn.end(true)
        }
      }
      if !isStarted {
        underWay -= 1
        turn.end(false)
      }
    }
  }
}

/// Waits for whichever comes first.
@MainActor private final class Turn {
  private var continuation: CheckedContinuation<Bool, Never>?
  var deadline: Deadline?

  init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }

  func end(_ isDone: Bool) {
    deadline = nil
    continuation?.resume(returning: isDone)
    continuation = nil
  }
}

/// What a thread has found so far.
private final class Found<Answer: Sendable>: Sendable {
  /// Nil when nobody waits for more.
  private let answers = Mutex<[Answer]?>([])

  /// - Returns: false when nobody waits for more.
  func add(_ answer: Answer) -> Bool {
    answers.withLock {
      $0?.append(answer)
      return $0 != nil
    }
  }

  func take() -> [Answer] {
    answers.withLock { answers in
      defer { answers = nil }
      return answers ?? []
    }
  }
}

private final class Work {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Not a thread of the pool, which has as many as there are processors: a few file systems that do not answer would
/// stop everything else that waits for one.
/// - Returns: false when there can be no more threads.
private func detach(_ body: @escaping @Sendable () -> Void) -> Bool {
  let work = unsafe Unmanaged.passRetained(Work(body))
  var thread = pthread_t()
  let code = unsafe pthread_create(
    &thread, nil,
    { raw in
      if let raw = unsafe raw { unsafe Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().body() }
      return nil
    }, work.toOpaque())
  guard code == 0 else {
    unsafe work.release()
    return false
  }
  pthread_detach(thread)
  return true
}
