internal import Host
package import LaunchRules

/// Finds the program of an application on disk.
package nonisolated enum ProgramLookup {
  package struct Found {
    package var executable: String
    package var arguments: [String]
  }

  /// - Parameter path: the folders of `PATH`, for a program that is a bare name.
  package static func find(
    _ application: InstalledApplication, path: String
  ) throws(OpenFailure) -> Found {
    switch application.declaration.program {
    case .missing:
      throw .noExecutable(
        "\(application.propertyList) has neither a CFBundleExecutable nor ProgramArguments that can be used;"
          + " add one of these keys, or run lsregister lint to see why a value is ignored")
    case .executable(let candidates):
      guard let executable = candidates.first(where: { PromptFile.exists($0) }) else {
        throw .noExecutable(
          "the executable of \(application.identifier) is missing: "
            + candidates.joined(separator: ", "))
      }
      return Found(executable: executable, arguments: [])
    case .arguments(let arguments):
      guard let program = arguments.first else {
        throw .noExecutable("ProgramArguments of \(application.propertyList) is empty")
      }
      guard let executable = find(program, path: path) else {
        throw .noExecutable(
          "the program \(program) of \(application.identifier) is missing")
      }
      return Found(executable: executable, arguments: Array(arguments.dropFirst()))
    }
  }

  /// The program in the folder of the daemon's own build, otherwise in `PATH`; nil if the program is in
  /// neither.
  package static func find(_ program: String, path: String) -> String? {
    var places =
      program.contains("/") ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
    // The bus that starts the daemon may have a different PATH than the user.
    if [DesktopBridge.program, AssociationFile.fetcher].contains(program),
      let folder = InstalledFolder.programs
    {
      places.insert("\(folder)/\(program)", at: 0)
    }
    return places.first { PromptFile.exists($0) }
  }
}
