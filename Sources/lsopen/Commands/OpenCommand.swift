internal import BusContract
internal import Commands
internal import DBus
internal import Glibc

/// Carries out one command line of `lsopen`.
struct OpenCommand {
  let service: Service
  let output: Output
  /// The value of an environment variable; nil when it is missing or empty.
  let environment: (String) -> String?
  /// Where relative paths begin.
  let folder: String
  /// The user can be asked at the terminal.
  var hasTerminal = false
  /// Standard error is a terminal, so that a person reads what need not be known.
  var showsRemarks = false
  /// A name for one open that nobody else has chosen.
  var newRequestID: () -> String = OpenCommand.randomRequestID
  /// Keeps standard input in a file; gives its path.
  var readText: () throws(CommandFailure) -> String = { () throws(CommandFailure) in
    try TextInput(environment: ProcessArguments.environment).save()
  }
  /// Waits so many milliseconds.
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
    case .history(let count): try history(count, invocation)
    case .completions(let shell): output.print(Self.completions.script(for: shell))
    case .help: Self.help.print(to: output)
    case .version: output.print("\(output.command) \(version)")
    }
    return .success
  }

  /// What the desktop gave this process so that the next window may come to the front. One that
  /// the daemon would refuse is no reason not to open anything.
  var activationToken: String? {
    let token = environment("XDG_ACTIVATION_TOKEN") ?? environment("DESKTOP_STARTUP_ID")
    return token.flatMap { OpenOptions.isActivationToken($0) ? $0 : nil }
  }
}
