internal import BusContract
internal import Commands
internal import DBus
internal import Host
internal import LaunchRules

/// Executes one command line of `lsregister`.
struct RegisterCommand {
  let service: Service
  let output: Output
  /// The folder for relative paths.
  let folder: String
  let languages: PreferredLanguages
  /// The line with the progress of a reload; nil if standard error is not a terminal.
  var progress: ProgressLine?
  /// The environment variables of this process.
  var environment: (String) -> String? = ProcessArguments.environment

  func run(_ arguments: [String]) -> ExitCode {
    do throws(CommandFailure) {
      let invocation = try RegisterInvocation(arguments)
      let file = invocation.action.file
      if let odd = arguments.first(where: { $0.hasEscapedBytes && $0 != file }) {
        throw .usage("'\(odd)' is not UTF-8; only names of files to open may have another encoding")
      }
      return try perform(invocation)
    } catch {
      output.complain(error)
      return error.code
    }
  }

  private func perform(_ invocation: RegisterInvocation) throws(CommandFailure) -> ExitCode {
    let json = invocation.json
    switch invocation.action {
    case .add(let paths): return try add(paths, invocation)
    case .remove(let identifiers): return try remove(identifiers, json: json)
    case .list: try list(json: json)
    case .show(let identifier): try show(identifier, json: json)
    case .apps: try apps(json: json)
    case .handlers(let subject): try handlers(subject, json: json)
    case .printDefault(let subject): try printDefault(subject, json: json)
    case .setDefault(let subject, let identifier):
      try choose(identifier ?? "", for: subject)
      if json { print(identifier ?? "", isDefaultOf: subject) }
    case .type(let path): try type(of: path, json: json)
    case .lint(let paths): return try lint(paths, invocation)
    case .dump(let coreTypes): try dump(coreTypes: coreTypes, json: json)
    case .dumpGraph: try dumpGraph()
    case .macOS(let mac): return try perform(mac)
    case .reload:
      try reload(json: json)
      if json { output.print(JSON.text([:])) }
    case .monitor: try monitor(json: json)
    case .desktop(let verb, let schemes, let all):
      throw replaceProcess(verb, schemes, all: all, json: json)
    case .handover(let operands):
      throw replaceProcess(["handover"] + operands, json: json)
    case .guarding(let operands):
      throw replaceProcess(["guard"] + operands, json: json)
    case .devices: return try devices(json: json)
    case .links(let invocation): return try links(invocation)
    case .remote(let invocation): try remote(invocation, json: json)
    case .approvals(let action): try approvals(action, json: json)
    case .completions(let shell): output.print(Self.completions.script(for: shell))
    case .help(let verb): Self.help(verb).print(to: output)
    case .version: output.print("\(output.command) \(version)")
    }
    return .success
  }

  /// Performs an action for each argument, also after failures. Returns the exit code of the first failure.
  /// Ends at once when the daemon is unreachable.
  func each<Operand>(
    _ operands: [Operand], _ body: (Operand) throws(CommandFailure) -> Void
  ) throws(CommandFailure) -> ExitCode {
    var first = ExitCode.success
    for operand in operands {
      do throws(CommandFailure) {
        try body(operand)
      } catch {
        if error.code == .serviceUnreachable { throw error }
        output.complain(error)
        if first == .success { first = error.code }
      }
    }
    return first
  }

  /// - Parameter milliseconds: timeout for the reply; nil for none.
  func call(
    _ message: borrowing Message, _ milliseconds: Int32? = Service.patience
  ) throws(CommandFailure) -> [Value] {
    do throws(ServiceFailure) {
      return try service.call(message, milliseconds)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The failure for an identifier that no application has. If an application has it as its name, the failure says the
  /// identifier of that application.
  func notRegistered(_ identifier: String) -> CommandFailure {
    var named: String?
    if !identifier.utf8.contains(UInt8(ascii: ".")) {
      let found = try? call(Contract.findApplications(.name(identifier))).first?.asOptionsList?
        .first
      named = found?[Key.bundleIdentifier]?.asString
    }
    return CommandFailure(
      .failed,
      OpenFailure.notRegistered(identifier).sentence
        + (named.map { "; the application called '\(identifier)' is \($0)" }
          ?? UnusedDesktopEntry.advice(on: identifier, service) ?? CommandFailure.listHint),
      error: "NotRegistered")
  }

  /// The absolute path of an existing file.
  func existing(_ path: String) throws(CommandFailure) -> String {
    let path = FilePath.absolute(path, from: folder)
    try FilePath.requireFile(path)
    return path
  }
}

extension CommandFailure {
  /// For a desktop entry in place of a bundle or a property list.
  static func desktopEntry(_ path: String) -> CommandFailure {
    CommandFailure(
      .failed,
      "\(path) is a desktop entry: desktop entries are applications without registration, as soon as they are in"
        + " ~/.local/share/applications or another folder of the desktop; 'lsregister list' shows them"
    )
  }
}
