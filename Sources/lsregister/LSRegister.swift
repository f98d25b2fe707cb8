internal import Commands

/// The command `lsregister`.
@main enum LSRegister {
  static func main() {
    let output = Output.ofProcess(command: "lsregister")
    let command = RegisterCommand(
      service: .onSessionBus(), output: output, folder: FilePath.currentFolder())
    do throws(CommandFailure) {
      ProcessArguments.end(command.run(try ProcessArguments.all()))
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }
}
