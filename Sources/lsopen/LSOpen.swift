internal import Commands
internal import Glibc

/// The command `lsopen`.
@main enum LSOpen {
  static func main() {
    // Occupies the descriptor of a closed standard input, which a connection would get otherwise.
    if fcntl(STDIN_FILENO, F_GETFD) < 0 { _ = unsafe open("/dev/null", O_WRONLY) }
    let output = Output.ofProcess(command: "lsopen")
    let terminal = Terminal()
    let command = OpenCommand(
      service: .onSessionBus(
        prefersDirect: true, answering: terminal?.answer, remarking: { output.complain($0) }),
      output: output,
      environment: ProcessArguments.environment, folder: FilePath.currentFolder(),
      hasTerminal: terminal != nil, showsRemarks: isatty(STDERR_FILENO) == 1)
    do throws(CommandFailure) {
      ProcessArguments.end(command.run(try ProcessArguments.all(escaping: true)))
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }
}
