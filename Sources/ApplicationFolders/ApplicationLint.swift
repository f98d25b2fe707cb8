internal import Glibc
internal import Host
package import LaunchRules
package import PropertyLists

/// The findings about one property list, its entitlements and its localized texts, beyond what a registration reports.
package struct ApplicationLint: Hashable, Sendable {
  package let reading: ApplicationReading
  /// The names of the files in the folder of the application; empty for an application that cannot be registered.
  package let files: [String]
  package private(set) var diagnostics: [Diagnostic]

  /// Maximum number of files in a folder whose names are examined.
  private static let mostNames = 10_000

  /// - Parameters:
  ///   - path: the absolute path of the property list.
  ///   - searchPath: the folders in which a program without a folder is searched, separated by colons: `PATH`.
  package init(
    of path: String, variables: BuildVariables = .none, searchPath: String
  ) {
    reading = ApplicationReading(
      of: path, variables: variables, isSystem: ApplicationFolder.isSystemPlace(path))
    diagnostics =
      EntitlementsLint.raised(
        reading.diagnostics, ofFile: ApplicationReading.entitlementsFile(of: path, variables))
      + LocalizedTexts.diagnostics(of: path)
    let folder = reading.application?.folder
    files = folder.flatMap { try? FolderListing(of: $0, atMost: Self.mostNames) }?.names ?? []
    if let problem = refusedSchemes { diagnostics.append(problem) }
    if let problem = program(searchPath) { diagnostics.append(problem) }
  }

  /// An application that wants to claim schemes and claims none.
  private var refusedSchemes: Diagnostic? {
    guard let declaration = reading.application?.declaration, declaration.urlTypes.isEmpty,
      let first = reading.refusedSchemes.first
    else { return nil }
    let count = reading.refusedSchemes.count
    return Diagnostic(
      .error, file: reading.path, keyPath: first,
      problem: count == 1
        ? "the only scheme is refused" : "all \(count) schemes are refused",
      consequence: "the application claims no scheme and gets no URLs: correct the schemes")
  }

  // MARK: The program

  private func program(_ searchPath: String) -> Diagnostic? {
    // The programs of system applications are beside the daemon.
    guard let application = reading.application, !application.isSystem else { return nil }
    let declaration = application.declaration
    let layout = BundleLocation(propertyList: reading.path).layout
    switch declaration.program {
    case .missing:
      // A property list of a source tree gets its program from the build.
      guard layout != .loose else { return nil }
      return diagnostic(
        .warning, "CFBundleExecutable", "the property list names no program",
        "the application cannot be started: add CFBundleExecutable or ProgramArguments")
    case .executable(let candidates):
      guard !candidates.contains(where: Self.isExecutable) else { return nil }
      return diagnostic(
        layout == .loose ? .note : .warning, "CFBundleExecutable",
        "the program \(candidates.joined(separator: " or ")) does not exist or is not executable",
        layout == .loose
          ? "the application cannot be started from here: register the bundle that the build makes"
          : "the application cannot be started: build it for Linux, or correct CFBundleExecutable")
    case .arguments(let arguments):
      // A variable may get its value when the application is registered; the reading reports it.
      guard let program = arguments.first, !program.contains("$(") else { return nil }
      let places =
        program.contains("/")
        ? [program] : searchPath.split(separator: ":").map { "\($0)/\(program)" }
      guard !places.contains(where: Self.isExecutable) else { return nil }
      return diagnostic(
        .warning, "ProgramArguments[0]",
        program.contains("/")
          ? "the program \(program) does not exist or is not executable"
          : "the program \(program) is in no folder of PATH",
        "the application cannot be started: build or install the program, or correct its path")
    }
  }

  private func diagnostic(
    _ severity: Diagnostic.Severity, _ keyPath: String, _ problem: String, _ consequence: String
  ) -> Diagnostic {
    Diagnostic(
      severity, file: reading.path, keyPath: keyPath, problem: problem, consequence: consequence)
  }

  private static func isExecutable(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0, unsafe access(path, X_OK) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFREG
  }
}

extension Registry {
  /// A registry with the system applications only, for a check without the daemon.
  /// - Parameter folders: folders of property lists of system applications; missing folders are skipped.
  package static func ofSystemApplications(in folders: [String]) -> Registry {
    var registry = Registry()
    for folder in folders {
      let folder = ApplicationFolder(folder, isSystem: true)
      for path in ((try? folder.contents())?.propertyLists ?? []).sorted() {
        let reading = ApplicationReading(of: path, isSystem: true)
        if let application = reading.application { registry.install(application) }
      }
    }
    return registry
  }
}
