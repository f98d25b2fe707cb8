internal import BusContract
internal import Commands
internal import DBus
internal import Glibc
internal import LaunchRules

/// Executes one command line of `lsopen`.
struct OpenCommand {
  let service: Service
  let output: Output
  /// The value of an environment variable; nil when it is missing or empty.
  let environment: (String) -> String?
  /// The folder for relative paths.
  let folder: String
  /// Whether the user can be asked at the terminal.
  var hasTerminal = false
  /// Whether standard error is a terminal, so that remarks are shown to the user.
  var showsRemarks = false
  /// Whether URLs that the daemon would not accept are sent unchanged, as xdg-open passes them on.
  var passesOnAnyCharacters = false
  /// Returns a unique name for an open.
  var newRequestID: () -> String = OpenCommand.randomRequestID
  /// Stores standard input in a file and returns the path.
  var readText: () throws(CommandFailure) -> String = { () throws(CommandFailure) in
    try TextInput(environment: ProcessArguments.environment).save()
  }
  /// Waits for a number of milliseconds.
  var pause: (Int) -> Void = { usleep(UInt32($0) * 1000) }
  var now: () -> Instant = { .now }

  func run(_ arguments: [String]) -> ExitCode {
    do throws(CommandFailure) {
      return try perform(try OpenInvocation(arguments))
    } catch {
      output.complain(error)
      return error.code
    }
  }

  private func perform(_ invocation: OpenInvocation) throws(CommandFailure) -> ExitCode {
    var invocation = invocation
    if let name = invocation.applicationName {
      invocation.options.application = try identifier(named: name, invocation)
    } else if let name = invocation.options.application, BundleIdentifier(name) == nil {
      throw CommandFailure(
        .failed, "'\(name)' is not a bundle identifier" + advice(on: name, invocation),
        error: ErrorName.invalidArgs.text)
    }
    if let architecture = invocation.architecture {
      output.complain(
        "programs here have one architecture, so --arch \(architecture) has no effect")
    }
    switch invocation.action {
    case .open(let operands): return try open(operands, invocation)
    case .openApplication: try openApplication(invocation)
    case .reveal(let operands): return try reveal(operands, invocation)
    case .canOpen(let operand): return try canOpen(operand, invocation)
    case .explain(let operand): try explain(operand, invocation)
    case .quickAction(let application, let type):
      try performQuickAction(type, of: application, invocation)
    case .continueActivity(let application): try continueActivity(of: application, invocation)
    case .history(let count): try history(count, invocation)
    case .completions(let shell): output.print(Self.completions.script(for: shell))
    case .help: Self.help.print(to: output)
    case .version: output.print("\(output.command) \(version)")
    }
    return .success
  }

  /// The activation token that the desktop passed to this process for the next window. Nil for a token that
  /// the daemon would refuse, so that the open succeeds without one.
  var activationToken: String? {
    let token = environment("XDG_ACTIVATION_TOKEN") ?? environment("DESKTOP_STARTUP_ID")
    return token.flatMap { OpenOptions.isActivationToken($0) ? $0 : nil }
  }
}
