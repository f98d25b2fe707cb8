internal import CHost
internal import Dispatch
internal import Events
internal import Glibc
internal import Synchronization

/// Asks file systems without waiting for one that does not answer, such as that of a file server or of a program.
package enum PromptFile {
  /// How long a thread that others depend on waits: far longer than a local file system needs, and shorter when calls
  /// have taken long.
  package static var patience: Duration {
    let most = allowance.withLock { $0.rest(at: Time.monotonicMicroseconds()) }
    return .microseconds(min(most, UnansweredCalls.isEmpty ? 100_000 : 10_000))
  }

  private static let allowance = Mutex(WaitingAllowance())

  /// The file systems without which this process cannot work in any case.
  private static let own: Set<UInt64> = {
    let variables = ["HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME"]
    let folders = variables.compactMap { name in
      unsafe getenv(name).flatMap { unsafe String(validatingCString: $0) }
    }
    return Set((["/", "/usr", "/tmp"] + folders).compactMap { FileIdentity(path: $0)?.device })
  }()

  /// Calls `body` with a descriptor of the target of all symbolic links that was opened with `O_PATH`: on this thread
  /// when the kernel knows the path and its file system is one of `own`, otherwise on another thread.
  ///
  /// Throws `Errno.timedOut` when there is no answer within `patience`, or an earlier call has no answer yet.
  package static func with<Answer: Sendable>(
    _ path: String, patience: Duration = PromptFile.patience,
    _ body: @escaping @Sendable (Int32) throws(Errno) -> Answer
  ) throws(Errno) -> Answer {
    guard !path.utf8.contains(0) else { throw Errno(EINVAL) }
    var identity: (device: UInt64, inode: UInt64) = (0, 0)
    let number = unsafe chost_open_cached(path, &identity.device, &identity.inode)
    if number < 0, Errno.last != .wouldWait { throw Errno.last }
    if number >= 0 {
      let file = Descriptor(adopting: number)
      if own.contains(identity.device) { return try body(file.number) }
    }
    return try call(about: path, patience: patience) { () throws(Errno) in
      let file = try Descriptor(opening: path, onlyPath)
      return try body(file.number)
    }
  }

  /// Calls `body` on another thread. Throws as `with` does.
  package static func call<Answer: Sendable>(
    about path: String, patience: Duration = PromptFile.patience,
    _ body: @escaping @Sendable () throws(Errno) -> Answer
  ) throws(Errno) -> Answer {
    guard UnansweredCalls.mayAsk(path) else { throw .timedOut }
    let question = Question<Answer>()
    let code = DetachedThread.start {
      question.begin()
      do throws(Errno) {
        question.end(.success(try body()))
      } catch {
        question.end(.failure(error))
      }
    }
    guard code == 0 else { throw Errno(code) }
    let (answer, slept) = question.answer(patience, path)
    if slept > 0 {
      allowance.withLock { $0.spend(UInt64(slept), at: Time.monotonicMicroseconds()) }
    }
    return try answer.get()
  }

  /// Whether there is a file at the path. True when that cannot be known: for a file that does not answer, and when no
  /// thread can be started.
  package static func exists(
    _ path: String, patience: Duration = PromptFile.patience
  ) -> Bool {
    do throws(Errno) {
      try with(path, patience: patience) { _ throws(Errno) in }
      return true
    } catch {
      return error == .timedOut || error == .noMoreTasks
    }
  }

  /// The absolute path without symbolic links; nil when nothing is there, and for a path that does not answer.
  package static func realPath(_ path: String) -> String? {
    try? with(path) { number throws(Errno) in SymbolicLink.target(of: "/proc/self/fd/\(number)") }
  }

  /// The identity of the target of all symbolic links; nil when it does not exist, and when it does not answer.
  package static func identity(of path: String) -> FileIdentity? {
    try? with(path) { number throws(Errno) in FileIdentity(remembered: "", in: number) }
  }
}

extension FileIdentity {
  /// The identity of a file in a folder as the kernel remembers it. Never waits for the file system of the file if the
  /// name is empty, for the folder itself, or that of a link in /proc to an open file.
  init?(remembered name: String, in folder: Int32) {
    var identity: (device: UInt64, inode: UInt64) = (0, 0)
    guard
      unsafe chost_remembered_identity(folder, name, &identity.device, &identity.inode) == 0
    else { return nil }
    self.init(device: identity.device, inode: identity.inode)
  }
}

/// `O_PATH` of <fcntl.h>, which Swift does not import.
private let onlyPath: Int32 = 0x20_0000

/// A question to a file system that a thread waits for.
private final class Question<Answer: Sendable>: Sendable {
  private enum State {
    case asked
    case answered(Result<Answer, Errno>)
    /// The number of the unanswered call.
    case late(Int)
  }

  private let state = Mutex<State>(.asked)
  private let hasAnswer = DispatchSemaphore(value: 0)
  private let thread = Mutex<KernelTask?>(nil)

  /// The time between two looks at the asking thread, in microseconds.
  private static var interval: Int { 10_000 }

  func begin() { thread.withLock { $0 = .current } }

  func end(_ answer: Result<Answer, Errno>) {
    let late: Int? = state.withLock { state in
      if case .late(let number) = state { return number }
      state = .answered(answer)
      return nil
    }
    if let late { UnansweredCalls.remove(late) }
    hasAnswer.signal()
  }

  /// - Parameter patience: how long the asking thread may sleep. The time for which it waits for a processor does not
  ///   count.
  /// - Returns: the answer, and how long the thread slept, in microseconds, as far as this thread has seen.
  func answer(_ patience: Duration, _ path: String) -> (Result<Answer, Errno>, slept: Int) {
    let most = Int(patience / .microseconds(1))
    var slept = 0
    while hasAnswer.wait(timeout: .now() + .microseconds(Self.interval)) == .timedOut {
      guard thread.withLock({ $0?.sleeps }) == true else { continue }
      slept += Self.interval
      if slept >= most { break }
    }
    let answer = state.withLock { state in
      if case .answered(let answer) = state { return answer }
      state = .late(UnansweredCalls.add(path))
      return .failure(.timedOut)
    }
    return (answer, slept)
  }
}
