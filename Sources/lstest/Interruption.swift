internal import Events
internal import Glibc
internal import Host

/// What ends this process before its work is done: a stop signal, or the end of the reader of its output, which counts as
/// SIGPIPE. Each world ends its processes before the program ends.
final class Interruption {
  static let shared = Interruption()

  /// The number of the first signal.
  private(set) var signal: Int32?
  /// Called at each signal; nil to end at once.
  var onSignal: ((Int32) -> Void)?

  func handle(_ number: Int32) {
    guard let onSignal else { exit(Self.status(number)) }
    signal = signal ?? number
    onSignal(number)
  }

  /// The status that shells use for a program that a signal has ended.
  static func status(_ number: Int32) -> Int32 { 128 + number }

  /// Such as `SIGTERM`.
  static func name(_ number: Int32) -> String {
    switch number {
    case SIGPIPE: "the end of the reader of its output"
    case SIGTERM: "SIGTERM"
    case SIGINT: "SIGINT"
    case SIGHUP: "SIGHUP"
    case SIGQUIT: "SIGQUIT"
    default: "signal \(number)"
    }
  }
}

/// Notices when nobody reads a pipe or a socket at standard output any more.
final class OutputReader {
  private var watch: DescriptorWatch?

  init(onEnd: @escaping () -> Void) throws(Errno) {
    var status = stat()
    guard unsafe fstat(STDOUT_FILENO, &status) == 0,
      [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    else { return }
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw Errno(errno) }
    // A watch of nothing is told of errors only.
    watch = DescriptorWatch(closing: copy, for: []) { [weak self] in
      guard let self, Self.hasEnded else { return }
      watch = nil
      onEnd()
    }
  }

  private static var hasEnded: Bool {
    var question = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return unsafe poll(&question, 1, 0) == 1 && question.revents & Int16(POLLERR | POLLHUP) != 0
  }
}
