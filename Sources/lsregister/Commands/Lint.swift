internal import ApplicationFolders
internal import BusContract
internal import Commands
internal import DBus
internal import LaunchRules
internal import PropertyLists

/// Checks property lists. This command reads them itself and needs no daemon.
extension RegisterCommand {
  /// Returns `no` if a property list has an error.
  func lint(_ paths: [String], _ invocation: RegisterInvocation) throws(CommandFailure) -> ExitCode
  {
    let variables = BuildVariables(invocation.definitions)
    var diagnostics: [Diagnostic] = []
    let code = try each(paths) { path throws(CommandFailure) in
      let path = try existing(path)
      do throws(PropertyListPath.NotFound) {
        let file = try PropertyListPath.find(path)
        diagnostics += ApplicationReading.lint(file, variables: variables)
      } catch {
        throw CommandFailure(.no, error.description)
      }
    }
    return report(diagnostics.map(Self.options), code, json: invocation.json)
  }

  /// Lets the daemon check the property lists in combination with the registered applications.
  func lintInRegistry(_ paths: [String], json: Bool) throws(CommandFailure) -> ExitCode {
    var diagnostics: [Options] = []
    let code = try each(paths) { path throws(CommandFailure) in
      diagnostics += try call(Contract.lint(try existing(path))).first?.asOptionsList ?? []
    }
    return report(diagnostics, code, json: json)
  }

  private func report(_ diagnostics: [Options], _ code: ExitCode, json: Bool) -> ExitCode {
    output.print(
      json ? [JSON.text(.optionsList(diagnostics))] : diagnostics.map(Self.line))
    let hasError = diagnostics.contains {
      $0["severity"]?.asString == Diagnostic.Severity.error.rawValue
    }
    return code == .success && hasError ? .no : code
  }

  private static func line(_ entry: Options) -> String {
    func text(_ key: String) -> String { entry[key]?.asString ?? "" }
    return Diagnostic(
      Diagnostic.Severity(rawValue: text("severity")) ?? .note, file: text("file"),
      keyPath: text("key-path"), problem: text("problem"), consequence: text("consequence")
    ).description
  }

  /// The most important findings, for `add`; `lint` reports all.
  func oddities(at path: String, _ definitions: [String: String]) -> [String] {
    guard let file = try? PropertyListPath.find(path) else { return [] }
    return ApplicationReading.lint(file, variables: BuildVariables(definitions))
      .filter { $0.severity != .note }.map(\.description)
  }

  private static func options(_ diagnostic: Diagnostic) -> Options {
    [
      "severity": .string(diagnostic.severity.rawValue), "file": .string(diagnostic.file),
      "key-path": .string(diagnostic.keyPath), "problem": .string(diagnostic.problem),
      "consequence": .string(diagnostic.consequence),
    ]
  }
}
