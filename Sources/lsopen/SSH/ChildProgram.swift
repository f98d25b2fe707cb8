internal import Commands
internal import DBus
internal import Glibc

/// A program that runs while this process waits for its end.
struct ChildProgram {
  enum Input: Equatable {
    /// The standard input of this process, as the standard output, too.
    case inherited
    /// A text. The standard output is read.
    case text(String)
  }

  struct End: Equatable {
    /// Nil for a program that a signal ended.
    var status: Int32?
    var signal: Int32?
    /// The first `mostOutput` bytes of the standard output, if it was read.
    var output = ""

    /// As a shell reports it.
    var shellStatus: Int32 { status ?? 128 + (signal ?? 0) }
  }

  /// In bytes.
  static let mostOutput = 65_536

  let name: String
  let arguments: [String]
  var input = Input.inherited
  /// Whether its standard error goes to that of this process.
  var isHeard = true
  /// After this time the program is ended with SIGKILL; nil for no limit.
  var limit: Duration?

  /// The signals that a user or a terminal sends to end a command.
  private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// Blocks the signals that end a command, so that this process outlives its programs and can undo what it did. The
  /// programs get them: from the terminal, or from this process.
  static func outliveEndings() {
    var signals = signalSet(endings + [SIGCHLD])
    unsafe sigprocmask(SIG_BLOCK, &signals, nil)
    // A program that does not read its input must not end this process.
    signal(SIGPIPE, SIG_IGN)
  }

  private static func signalSet(_ numbers: [Int32]) -> sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in numbers { unsafe sigaddset(&signals, number) }
    return signals
  }

  /// Starts the program, which is looked for in `PATH`, and waits for its end. Call `outliveEndings` before.
  func run() throws(CommandFailure) -> End {
    var pipes: [Int32] = []
    defer { for descriptor in pipes { close(descriptor) } }
    if input != .inherited {
      for _ in 0..<2 {
        var ends = [Int32](repeating: -1, count: 2)
        guard unsafe pipe(&ends) == 0 else { throw failure(errno) }
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        pipes += ends
      }
    }
    let pid = try spawn(pipes)
    guard case .text(let text) = input else { return waited(for: pid) }
    close(pipes[0])
    close(pipes[3])
    let (entry, exit) = (pipes[1], pipes[2])
    pipes = []
    // The text is shorter than a pipe is wide, so this does not wait.
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(entry, $0.baseAddress, $0.count) }
    close(entry)
    defer { close(exit) }
    let output = read(exit, from: pid)
    var end = waited(for: pid)
    end.output = output
    return end
  }

  private func failure(_ code: Int32) -> CommandFailure {
    let hint = code == ENOENT ? "; install the package openssh-client" : ""
    return CommandFailure(
      .failed, "\(name) cannot be run: \(unsafe String(cString: strerror(code)))\(hint)")
  }

  private func spawn(_ pipes: [Int32]) throws(CommandFailure) -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var defaults = Self.signalSet(Self.endings + [SIGPIPE])
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if pipes.count == 4 {
      unsafe posix_spawn_file_actions_adddup2(&actions, pipes[0], STDIN_FILENO)
      unsafe posix_spawn_file_actions_adddup2(&actions, pipes[3], STDOUT_FILENO)
    }
    if !isHeard {
      unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }
    // Words of the user's command need not be UTF-8.
    var argv =
      unsafe ([name] + arguments).map { word in
        unsafe strdup(EscapedBytes.bytes(word).map { CChar(bitPattern: $0) } + [0])
      } + [nil]
    defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
    var pid: pid_t = 0
    let code = unsafe posix_spawnp(&pid, name, &actions, &attributes, &argv, environ)
    guard code == 0 else { throw failure(code) }
    return pid
  }

  /// Reads the standard output until all its writers have closed it.
  private func read(_ descriptor: Int32, from pid: pid_t) -> String {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    let end = limit.map { Instant.now + $0 }
    while true {
      var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = end.map { Int32(clamping: Int64(($0 - .now) / .milliseconds(1))) } ?? -1
      if end != nil, rest <= 0 { break }
      guard unsafe poll(&state, 1, rest) > 0 else { break }
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { return String(decoding: output, as: UTF8.self) }
      if output.count < Self.mostOutput { output += buffer.prefix(count) }
    }
    kill(pid, SIGKILL)
    return String(decoding: output, as: UTF8.self)
  }

  /// Waits for the end, and passes on the signals that end a command.
  private func waited(for pid: pid_t) -> End {
    var awaited = Self.signalSet(Self.endings + [SIGCHLD])
    let end = limit.map { Instant.now + $0 }
    while true {
      var code: Int32 = 0
      let ended = unsafe waitpid(pid, &code, WNOHANG)
      if ended == pid {
        return code & 0x7f == 0
          ? End(status: (code >> 8) & 0xff) : End(signal: code & 0x7f)
      }
      guard ended == 0 else { return End() }
      var rest = timespec(tv_sec: 3600, tv_nsec: 0)
      if let end {
        let milliseconds = max(0, Int((end - .now) / .milliseconds(1)))
        if milliseconds == 0 { kill(pid, SIGKILL) }
        rest = timespec(
          tv_sec: milliseconds / 1000, tv_nsec: max(1, milliseconds % 1000) * 1_000_000)
      }
      let signal = unsafe sigtimedwait(&awaited, nil, &rest)
      // The terminal has sent its signals to the program, too.
      if signal == SIGTERM || signal == SIGHUP { kill(pid, signal) }
    }
  }
}
