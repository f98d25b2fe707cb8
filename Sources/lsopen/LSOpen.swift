internal import Commands

/// The command `lsopen`.
@main enum LSOpen {
  static func main() {
    let output = Output.ofProcess(command: "lsopen")
    let terminal = Terminal()
    let command = OpenCommand(
      service: .onSessionBus(prefersDirect: true, answering: terminal?.answer), output: output,
      environment: ProcessArguments.environment, folder: FilePath.currentFolder(),
      hasTerminal: terminal != nil)
    do throws(CommandFailure) {
      ProcessArguments.end(command.run(try ProcessArguments.all(escaping: true)))
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }
}
