internal import CHost
internal import Dispatch
internal import Events
internal import Glibc
internal import Synchronization

/// Starts a process and returns its PID. The caller must reap it.
///
/// The process leads a process group and has only the descriptors 0, 1 and 2. Its signal mask is empty and all
/// signals have their default action, whatever the calling thread: Swift's worker threads block almost every
/// signal, and a process that inherited their mask could not be stopped with SIGTERM.
///
/// Waits at most `Spawning.patience` for Linux to open the program. When that takes longer, because another process
/// holds a lease of the file or writes the file, or because a file server does not answer, the process counts as
/// started. If the program cannot be run then, the process ends with status 127.
package func spawn(_ launch: Launch) throws(SpawnError) -> Int32 {
  try launch.check()
  return try Spawning(launch, SpawnFiles.open(for: launch)).start()
}

/// The start of one process, on another thread.
@safe private final class Spawning: Sendable {
  /// How long the new process may sleep before exec, in milliseconds: far longer than Linux needs to open a program of
  /// a local file system, and too short for callers to notice. The time for which it waits for a processor does not
  /// count.
  static let patience = 20
  /// The time between two looks at the new process, in milliseconds.
  static let interval = 5

  private let launch: Launch
  private let files: SpawnFiles
  private let mostFiles = DescriptorLimit.ofChildren ?? 0
  /// The PID, written before exec; 0 until then.
  private nonisolated(unsafe) let pid: UnsafeMutablePointer<Int32>
  /// The error number; nil until Linux has opened the program.
  private let result = Mutex<Int32?>(nil)
  private let hasResult = DispatchSemaphore(value: 0)

  init(_ launch: Launch, _ files: consuming SpawnFiles) {
    self.launch = launch
    self.files = files
    unsafe pid = .allocate(capacity: 1)
    unsafe pid.initialize(to: 0)
  }

  deinit { unsafe pid.deallocate() }

  func start() throws(SpawnError) -> Int32 {
    let code = SpawnThread.run(self)
    guard code == 0 else { throw .cannotRun(executable: launch.executable, Errno(code)) }
    var slept = 0
    while hasResult.wait(timeout: .now() + .milliseconds(Self.interval)) == .timedOut {
      let started = unsafe chost_load(pid)
      guard started > 0, KernelTask(number: started).sleeps else { continue }
      slept += Self.interval
      if slept >= Self.patience { return started }
    }
    let started = unsafe chost_load(pid)
    let error = result.withLock { $0 } ?? 0
    guard error == 0 else {
      if started > 0 { waitpid(started, nil, 0) }
      throw .cannotRun(executable: launch.executable, Errno(error))
    }
    return started
  }

  /// Blocks until Linux has opened the program.
  func run() {
    let code = blockingStart()
    result.withLock { $0 = code }
    hasResult.signal()
  }

  /// - Returns: the error number, or 0.
  private func blockingStart() -> Int32 {
    let variables = launch.environment.map { "\($0.key)=\($0.value)" }.sorted()
    let argv = unsafe ([launch.executable] + launch.arguments).map { unsafe strdup($0) } + [nil]
    let envp = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer {
      let strings = unsafe argv + envp
      for index in unsafe strings.indices { unsafe free(strings[index]) }
    }
    let redirections = files.redirections.flatMap { [$0.from, $0.to] }
    return unsafe launch.executable.withCString { path in
      unsafe argv.withUnsafeBufferPointer { argv in
        unsafe envp.withUnsafeBufferPointer { envp in
          unsafe redirections.withUnsafeBufferPointer { redirections in
            var order = unsafe chost_launch(
              path: path, arguments: argv.baseAddress, variables: envp.baseAddress,
              folder: files.folder ?? -1, stays_in_session: launch.staysInSession ? 1 : 0,
              redirections: redirections.baseAddress,
              redirection_count: Int32(files.redirections.count), most_files: mostFiles)
            return unsafe chost_spawn(&order, pid)
          }
        }
      }
    }
  }
}

/// A thread that starts processes. It never ends: a process that asked for a signal at the death of its parent
/// (`PR_SET_PDEATHSIG`) gets the signal when the thread that started it ends.
private final class SpawnThread: Sendable {
  private static let idle = Mutex<[SpawnThread]>([])

  private let next = Mutex<Spawning?>(nil)
  private let hasNext = DispatchSemaphore(value: 0)

  /// Starts a process on an idle thread, or on a new one.
  /// - Returns: the error number of the start of the thread, or 0.
  static func run(_ start: Spawning) -> Int32 {
    let idle = idle.withLock { $0.popLast() }
    let thread = idle ?? SpawnThread()
    thread.next.withLock { $0 = start }
    thread.hasNext.signal()
    return idle == nil ? DetachedThread.start { thread.work() } : 0
  }

  private func work() {
    while true {
      hasNext.wait()
      let start = next.withLock { $0.take() }
      start?.run()
      Self.idle.withLock { $0.append(self) }
    }
  }
}
