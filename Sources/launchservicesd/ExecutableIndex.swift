internal import Host
internal import LaunchRules

/// Which application an executable belongs to.
///
/// Only an executable that stands for one application counts: not one that several name, and not an
/// interpreter that gets its program as an argument.
struct ExecutableIndex {
  /// By executable: the property lists that name it, and their applications.
  private var owners: [String: [String: BundleIdentifier]] = [:]
  /// By property list: what it names.
  private var executables: [String: [String]] = [:]

  /// Takes in what the property list at `path` says now; nil when it is gone.
  mutating func update(_ path: String, _ application: InstalledApplication?) {
    for executable in executables.removeValue(forKey: path) ?? [] {
      owners[executable]?[path] = nil
    }
    guard let application else { return }
    let named = Self.executables(of: application.declaration.program)
    for executable in named { owners[executable, default: [:]][path] = application.identifier }
    executables[path] = named
  }

  /// The one application whose executable the process runs.
  func application(running executable: ProcessDetails.Executable) -> BundleIdentifier? {
    // The path alone may be a lie of a mount namespace; the file it names here must be the same.
    let applications = Set((owners[executable.path] ?? [:]).values)
    guard !executable.isDeleted, applications.count == 1,
      FileIdentity(path: executable.path) == executable.identity
    else { return nil }
    return applications.first
  }

  private static func executables(of program: Program) -> [String] {
    switch program {
    case .executable(let candidates): candidates.compactMap { realPath($0) }
    case .arguments(let arguments) where arguments.count == 1:
      arguments[0].hasPrefix("/") ? [arguments[0]].compactMap { realPath($0) } : []
    case .arguments, .missing: []
    }
  }
}
