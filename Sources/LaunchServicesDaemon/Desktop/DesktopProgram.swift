internal import Host
internal import LaunchRules
internal import ProcessSupervision

/// The program `launchservices-desktop`. The program uses GIO and may read the user's files; the daemon does neither.
struct DesktopProgram {
  private let environment: HandlerEnvironment
  private let fixed: String?

  /// - Parameter path: absolute path of the program; nil to look for the program beside the daemon and in `PATH` for
  ///   each launch.
  init(_ environment: HandlerEnvironment, at path: String? = nil) {
    self.environment = environment
    fixed = path
  }

  /// - Parameter output: receives the standard output; nil for the output of the daemon.
  /// - Returns: nil when the program is not installed.
  func launch(_ arguments: [String], output: MemoryFile? = nil) -> Launch? {
    guard let path = path else { return nil }
    var launch = Launch(
      executable: path, arguments: arguments, environment: environment.ofTools,
      workingDirectory: environment.home)
    if let output { launch.standardOutput = .descriptor(output.number) }
    return launch
  }

  private var path: String? {
    guard let fixed else {
      return ProgramLookup.find(DesktopBridge.program, path: environment.path)
    }
    return FileIdentity(path: fixed) == nil ? nil : fixed
  }
}
