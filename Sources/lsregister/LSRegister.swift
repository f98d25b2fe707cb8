internal import Commands
internal import Host
internal import LaunchRules

/// The command `lsregister`.
@main enum LSRegister {
  static func main() {
    let output = Output.ofProcess(command: "lsregister")
    let progress = ProgressLine(command: "lsregister")
    let command = RegisterCommand(
      service: .onSessionBus(
        hearing: { progress?.hear($0) }, remarking: { output.complain($0) }), output: output,
      folder: FilePath.currentFolder(),
      languages: PreferredLanguages(environment: ProcessArguments.environment), progress: progress)
    do throws(CommandFailure) {
      ProcessArguments.end(command.run(try ProcessArguments.all(escaping: true)))
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }
}
