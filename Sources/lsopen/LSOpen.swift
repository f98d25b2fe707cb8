internal import Commands
internal import Glibc
internal import LaunchRules

/// The command `lsopen`, which also answers to the names of `XDGUtility`.
@main enum LSOpen {
  static func main() {
    // Occupies the descriptor of a closed standard input, which a connection would get otherwise.
    if fcntl(STDIN_FILENO, F_GETFD) < 0 { _ = unsafe open("/dev/null", O_WRONLY) }
    let utility = ProcessArguments.programName.flatMap(XDGUtility.init(invocation:))
    let output = Output.ofProcess(command: utility?.rawValue ?? "lsopen")
    let terminal = Terminal()
    let local = Service.onSessionBus(
      prefersDirect: true, answering: terminal?.answer, remarking: { output.complain($0) })
    let command = OpenCommand(
      service: .chosen(by: ProcessArguments.environment, orElse: local),
      output: output,
      environment: ProcessArguments.environment, folder: FilePath.currentFolder(),
      hasTerminal: terminal != nil, showsRemarks: isatty(STDERR_FILENO) == 1)
    do throws(CommandFailure) {
      let arguments = try ProcessArguments.all(escaping: true)
      if let utility { run(utility, command, arguments) }
      if arguments.first == RemoteSessionCommand.word {
        let session = RemoteSessionCommand(
          output: output, service: local, environment: ProcessArguments.environment)
        ProcessArguments.end(status: session.run(Array(arguments.dropFirst())))
      }
      if arguments == [StandardStreamsRelay.option] {
        ProcessArguments.end(StandardStreamsRelay(local).run())
      }
      if let port = CallbackPort(arguments) { ProcessArguments.end(port.run()) }
      ProcessArguments.end(command.run(arguments))
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }

  private static func run(
    _ utility: XDGUtility, _ command: OpenCommand, _ arguments: [String]
  ) -> Never {
    let outcome = XDGCommand(utility: utility, command: command) { page in
      NextProgram.becomeManual(page)
      command.output.complain("the command man is not in PATH")
      return .toolMissing
    }.run(arguments)
    switch outcome {
    case .status(let status): ProcessArguments.end(status: status.rawValue)
    case .performOnDesktop(let arguments):
      let failure = ProgramReplacement.replaceProcess(
        by: DesktopBridge.program, arguments, as: utility.rawValue)
      NextProgram.become(utility.rawValue)
      command.output.complain(failure)
      ProcessArguments.end(status: XDGUtility.Status.toolMissing.rawValue)
    case .passOn(let status, let reason):
      NextProgram.become(utility.rawValue)
      command.output.complain(reason)
      ProcessArguments.end(status: status.rawValue)
    }
  }
}
