internal import Glibc
internal import LaunchRules

/// Asks the program that uses GIO why a desktop entry is no application.
package enum UnusedDesktopEntry {
  /// The end of a message that no application has the identifier: a sentence about the entry that exists with this desktop
  /// file ID. Nil when there is none.
  /// - Parameter service: that of this machine; there is no advice for a remote.
  package static func advice(on identifier: String, _ service: Service) -> String? {
    guard identifier.hasSuffix(".desktop"), !identifier.hasPrefix("-"),
      service.remotePath() == nil,
      let program = ProgramReplacement.path(of: DesktopBridge.program)
    else { return nil }
    let answer = answer(of: program, [DesktopBridge.unusedVerb, identifier])
    return answer.split(separator: "\n").first.map { "; \($0)" }
  }

  /// What a program prints within `patience`; empty when it cannot be run.
  private static func answer(of program: String, _ arguments: [String]) -> String {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return "" }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var argv = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
    var pid: pid_t = 0
    let code = unsafe posix_spawn(&pid, program, &actions, nil, &argv, environ)
    close(ends[1])
    guard code == 0 else { return "" }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: largest)
    while bytes.count < largest {
      var state = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&state, 1, patience) == 1 else { break }
      let count = unsafe read(ends[0], &piece, largest)
      guard count > 0 else { break }
      bytes += piece.prefix(count)
    }
    kill(pid, SIGKILL)
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return String(decoding: bytes.prefix(largest), as: UTF8.self)
  }

  /// In milliseconds.
  private static let patience: Int32 = 5000
  /// In bytes.
  private static let largest = 16 << 10
}
