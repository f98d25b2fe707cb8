internal import Commands
internal import Host
internal import LaunchServicesTesting
internal import Reports

/// Executes one command line of `lstest`.
struct TestCommand {
  let output: Output
  /// The folder for relative paths.
  let folder: String

  /// Returns the exit status.
  func run() async -> Int32 {
    do throws(CommandFailure) {
      let invocation = try TestInvocation(try ProcessArguments.all())
      return try await perform(invocation)
    } catch {
      output.complain(error)
      return TestStatus(error.code).rawValue
    }
  }

  private func perform(_ invocation: TestInvocation) async throws(CommandFailure) -> Int32 {
    switch invocation.action {
    case .run(let paths): return try await run(paths, invocation).rawValue
    case .check(let paths): return try check(paths, invocation).rawValue
    case .shell(let paths, let command):
      return try await shell(paths, command, invocation)
    case .initialise(let path): try initialise(path, invocation)
    case .shims: output.print(try shimFolder())
    case .completions(let shell): output.print(Self.completions.script(for: shell))
    case .help: Self.help.print(to: output)
    case .version: output.print("lstest \(version)")
    }
    return TestStatus.passed.rawValue
  }

  /// Writes a file that the command line names.
  static func write(_ text: String, to path: String) throws(CommandFailure) {
    do throws(Errno) {
      try OutputFile.write(text, to: path)
    } catch {
      throw CommandFailure(.failed, "The file \(path) cannot be written: \(error)")
    }
  }

  /// Whether the worlds have a bus.
  func hasBus(_ invocation: TestInvocation) -> Bool {
    guard invocation.hasBus else { return false }
    guard (try? Programs.find("dbus-daemon")) != nil else {
      output.complain("dbus-daemon is not installed; the worlds have no message bus")
      return false
    }
    return true
  }
}
