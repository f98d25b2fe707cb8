internal import Commands
internal import Glibc
internal import LaunchRules

/// The actions of `lsregister desktop`.
enum DesktopVerb: String, CaseIterable {
  case enable, disable, status
}

extension RegisterCommand {
  /// - Returns: the failure, if the program cannot be run.
  func replaceProcess(
    _ verb: DesktopVerb, _ schemes: [URLScheme], all: Bool, json: Bool
  ) -> CommandFailure {
    replaceProcess(
      (all ? ["--all"] : []) + [verb.rawValue] + schemes.map(\.text), json: json)
  }

  /// Replaces this process by the program that performs the action. That program needs GIO, which would slow
  /// down the start of this command.
  /// - Returns: the failure, if the program cannot be run.
  func replaceProcess(_ arguments: [String], json: Bool) -> CommandFailure {
    let name = DesktopBridge.program
    let arguments = [name] + (json ? ["--json"] : []) + arguments
    var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
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
      .failed, "\(name) cannot be run: \(reason); it belongs beside lsregister or in PATH")
  }
}
