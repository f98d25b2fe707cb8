internal import Commands

/// The command `lsopen`.
@main enum LSOpen {
  static func main() {
    let output = Output.ofProcess(command: "lsopen")
    let command = OpenCommand(
      service: .onSessionBus(), output: output, environment: ProcessArguments.environment,
      folder: FilePath.currentFolder())
    do throws(CommandFailure) {
      ProcessArguments.end(command.run(try ProcessArguments.all()))
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }
}
