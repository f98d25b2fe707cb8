internal import Glibc
internal import Host

/// The terminal of this process while its process group is in the foreground. A command that is started there gets the
/// terminal, as from a shell: it reads what is typed, and the keys for signals reach it and not this process.
struct Terminal {
  private let descriptor: Int32

  /// Nil without a terminal, and in the background.
  init?() {
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard isOwn else {
      close(descriptor)
      return nil
    }
    // A process in the background is stopped when it takes the terminal back.
    signal(SIGTTOU, SIG_IGN)
  }

  private var isOwn: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Gives the terminal to a command that leads a process group.
  func give(to command: ChildProcess) {
    tcsetpgrp(descriptor, command.pid)
    // It is stopped when it has read the terminal before.
    command.signalGroup(SIGCONT)
  }

  /// Takes the terminal back after the end of the command.
  func takeBack() {
    tcsetpgrp(descriptor, getpgrp())
    close(descriptor)
  }

  /// Stops this process when the command was stopped, as with Ctrl-Z, so that its shell has the terminal. Returns when this
  /// process is continued; both then go on.
  func stopAlong(_ command: ChildProcess) {
    guard command.wasStopped else { return }
    tcsetpgrp(descriptor, getpgrp())
    // Without a shell that could continue it, Linux does not stop this process.
    kill(0, SIGTSTP)
    if isOwn { tcsetpgrp(descriptor, command.pid) }
    command.signalGroup(SIGCONT)
  }
}
