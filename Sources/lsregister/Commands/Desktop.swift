internal import Commands
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
    ProgramReplacement.replaceProcess(
      by: DesktopBridge.program, (json ? ["--json"] : []) + arguments, as: output.command)
  }
}
