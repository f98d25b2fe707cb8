internal import ApplicationFolders
internal import Commands
internal import DBus
internal import LaunchRules
internal import PropertyLists

/// What is odd in property lists. Reads them itself: no daemon is needed.
extension RegisterCommand {
  /// Returns `no` when one has an error.
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
    output.print(
      invocation.json
        ? [JSON.text(.optionsList(diagnostics.map(Self.options)))]
        : diagnostics.map(\.description))
    guard code == .success, diagnostics.contains(where: { $0.severity == .error }) else {
      return code
    }
    return .no
  }

  /// What the one who adds the application should know; 'lint' has the rest.
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
