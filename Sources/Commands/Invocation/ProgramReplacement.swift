internal import Glibc
internal import LaunchRules

/// Replaces this process by another program of Launch Services, which needs libraries that would slow down the start of
/// a command.
package enum ProgramReplacement {
  /// Looks for the program beside this one, then in `PATH`.
  /// - Returns: the failure, if the program cannot be run.
  package static func replaceProcess(
    by name: String, _ arguments: [String], besides own: String
  ) -> CommandFailure {
    var argv = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
    if let own = unsafe realpath("/proc/self/exe", nil) {
      defer { unsafe free(own) }
      let path = unsafe String(cString: own)
      let folder = path.split(separator: "/").dropLast().joined(separator: "/")
      unsafe execv("/\(folder)/\(name)", &argv)
    }
    unsafe execvp(name, &argv)
    let reason = unsafe String(cString: strerror(errno))
    return CommandFailure(
      .failed, "\(name) cannot be run: \(reason); it belongs beside \(own) or in PATH")
  }
}
