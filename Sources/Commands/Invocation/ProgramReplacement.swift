internal import Glibc
internal import LaunchRules

/// Replaces this process by another program of Launch Services, which needs libraries that would slow down the start of
/// a command.
package enum ProgramReplacement {
  /// Looks for the program beside this one, then in `PATH`.
  /// - Parameter command: the name of the command that the user called. The program has this name in its messages,
  ///   see `command(orOwn:)`.
  /// - Returns: the failure, if the program cannot be run.
  package static func replaceProcess(
    by name: String, _ arguments: [String], as command: String
  ) -> CommandFailure {
    var argv = unsafe ([command] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe argv.indices { unsafe free(argv[index]) } }
    if let ownFolder { unsafe execv("\(ownFolder)/\(name)", &argv) }
    unsafe execvp(name, &argv)
    let reason = unsafe String(cString: strerror(errno))
    return CommandFailure(
      .failed, "\(name) cannot be run: \(reason); it belongs beside \(command) or in PATH")
  }

  /// The path of the program beside this one, or else in `PATH`; nil when there is none.
  static func path(of name: String) -> String? {
    let search = ProcessArguments.environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
    return ([ownFolder] + search.split(separator: ":").map(String.init)).compactMap(\.self)
      .map { "\($0)/\(name)" }.first { unsafe $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }

  /// The folder of this program; nil when the kernel does not tell.
  private static var ownFolder: String? {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { return nil }
    defer { unsafe free(own) }
    let path = unsafe String(cString: own)
    return "/" + path.split(separator: "/").dropLast().joined(separator: "/")
  }

  /// The command that this program took the place of; `own`, the name of this program, when it was called itself.
  package static func command(orOwn own: String) -> String {
    guard let name = ProcessArguments.programName, commands.contains(name) else { return own }
    return name
  }

  private static let commands: Set = ["lsopen", "lsregister", "xdg-mime", "xdg-settings"]
}
