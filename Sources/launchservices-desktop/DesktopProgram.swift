internal import Commands
internal import DesktopEntries
internal import Host
internal import LaunchRules

/// The program `launchservices-desktop`: the handler that passes URLs to desktop applications, and the tool
/// that exports registered applications to desktops.
@main enum DesktopProgram {
  static func main() {
    let output = Output.ofProcess(
      command: ProgramReplacement.command(orOwn: DesktopBridge.program))
    do throws(CommandFailure) {
      let invocation = try DesktopInvocation(try ProcessArguments.all())
      let task = DesktopTask(
        service: .onSessionBus(remarking: { output.complain($0) }), output: output,
        folders: userFolders, json: invocation.json)
      switch invocation.action {
      case .handle(let application, let idle):
        Bridge.run(application: application, idle: idle, output)
      case .list(let silent): try task.list(without: Set(silent))
      case .export: try task.alone { () throws(CommandFailure) in try task.export() }
      case .enable(let schemes):
        try task.alone { () throws(CommandFailure) in try task.enable(schemes) }
      case .enableAll: try task.alone { () throws(CommandFailure) in try task.enable(nil) }
      case .disable(let schemes):
        try task.alone { () throws(CommandFailure) in try task.disable(schemes) }
      case .withdraw: try task.alone { () throws(CommandFailure) in try task.withdraw() }
      case .status: try task.status()
      case .printHandOver(let identifier): try task.printHandOver(of: identifier)
      case .chooseHandOver(let identifier, let choice):
        try task.alone { () throws(CommandFailure) in
          try task.chooseHandOver(of: identifier, choice)
        }
      case .explainUnused(let identifier): task.explainUnused(identifier)
      case .fileType(let path): try task.printType(of: path)
      case .setDefault(let scheme, let entry):
        try task.alone { () throws(CommandFailure) in try task.setDefault(scheme, entry) }
      case .checkEndpoint(let application): EndpointCheck.run(application, output)
      case .guarding(let action): try task.run(action)
      case .types(let urls): output.print(urls.map { ContentType.ofFile($0) ?? "" })
      case .help: DesktopInvocation.help.print(to: output)
      case .version: output.print("\(output.command) \(version)")
      }
      ProcessArguments.end(task.problems == 0 ? .success : .failed)
    } catch {
      output.complain(error)
      ProcessArguments.end(error.code)
    }
  }

  static var userFolders: UserFolders {
    let names = [
      "HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",
      "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
    ]
    var environment: [String: String] = [:]
    for name in names { environment[name] = ProcessArguments.environment(name) }
    return UserFolders(environment: environment)
  }
}
