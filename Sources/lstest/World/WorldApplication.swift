internal import ApplicationFolders
internal import Commands
internal import FoundationEssentials
internal import Glibc
internal import Host
internal import LaunchRules
internal import LaunchServicesTesting
internal import PropertyLists
internal import Reports
internal import StubApplications

/// An application of a scenario, as it is written into a world.
struct WorldApplication {
  let identifier: String
  /// The property list in the world, whose program is a stub or a program of the scenario.
  let propertyList: String
  let definitions: [String: String]
  let hasStub: Bool
  /// What its property list and entitlements have that is odd.
  let remarks: [Report.Finding]
  /// Where the scenario has it.
  let value: ScenarioValue
}

/// Writes the applications of a scenario into a world.
struct WorldApplications {
  /// The folder in which each application gets a folder.
  let folder: String
  /// The absolute path of the program of stubs.
  let stub: String
  /// The log of the stubs.
  let log: String
  /// The path of a file for messages.
  let shown: (String) -> String

  /// Writes those that have no problem.
  /// - Throws: an error of the file system.
  func write(
    _ applications: [ScenarioApplication], _ problems: inout [ScenarioProblem]
  ) throws -> [WorldApplication] {
    var written: [WorldApplication] = []
    for (number, application) in applications.enumerated() {
      do {
        let next = try write(application, number: number)
        if written.contains(where: { BundleIdentifier.areEqual($0.identifier, next.identifier) }) {
          problems.append(
            application.value.problem(
              "", "another application of the scenario has the identifier \(next.identifier)"))
        } else {
          written.append(next)
        }
      } catch let error as ScenarioProblems {
        problems += error.list
      }
    }
    return written
  }

  /// - Parameter number: of the application in its scenario.
  /// - Throws: `ScenarioProblems`; an error of the file system.
  private func write(
    _ application: ScenarioApplication, number: Int
  ) throws -> WorldApplication {
    let problem = application.value.problem
    // A tree with a value that property lists do not have is the scenario's mistake.
    func xml(_ key: String, _ encode: () throws -> Data) throws(ScenarioProblems) -> Data {
      do {
        return try encode()
      } catch {
        throw ScenarioProblems([problem(key, "cannot be written as a property list: \(error)")])
      }
    }
    let source = try ApplicationSource(application)
    let own = "\(folder)/\(number)"
    let path = own + "/Info.plist"
    let files = FileManager.default
    try files.createDirectory(atPath: own, withIntermediateDirectories: true)
    try xml("plist") { try source.tree.xml() }.write(to: URL(filePath: path))
    if let entitlements = source.entitlements {
      try xml("entitlements") { try entitlements.xml() }
        .write(to: URL(filePath: own + "/Info.entitlements"))
    }
    let reading = ApplicationReading(
      of: path, variables: BuildVariables(source.definitions))
    let findings =
      source.build.remarks(shown)
      + reading.diagnostics.filter { $0.severity != .note }.map { source.finding($0, shown) }
    let open = source.build.needed(reading)
    guard open.isEmpty else {
      throw ScenarioProblems(
        open.map {
          problem(
            "",
            "\($0.keyPath) needs a value of the build variable \($0.name): write it in define of the scenario,"
              + " or add --define \($0.name)=VALUE")
        })
    }
    guard let declaration = reading.application?.declaration else {
      let errors = reading.diagnostics.filter { $0.severity == .error }
      throw ScenarioProblems(
        errors.map { diagnostic in
          var problem = problem("", diagnostic.logSentence)
          if let place = source.finding(diagnostic, shown).place { problem.place = place }
          return problem
        })
    }
    let program = try program(application, source, problem)
    let stub = StubPropertyList(
      program: stub, application.behaviour ?? .accepting, log: log,
      opensTogether: declaration.platform == .macOS)
    let list = program.map { StubPropertyList(arguments: $0) } ?? stub
    try xml("plist") { try list.replacingProgram(of: source.tree) }.write(to: URL(filePath: path))
    return WorldApplication(
      identifier: declaration.identifier.text, propertyList: path,
      definitions: source.definitions, hasStub: program == nil, remarks: findings,
      value: application.value)
  }

  /// The program of an application; nil for a stub.
  private func program(
    _ application: ScenarioApplication, _ source: ApplicationSource,
    _ problem: (String, String) -> ScenarioProblem
  ) throws(ScenarioProblems) -> [String]? {
    if let program = application.program {
      let first = program.first ?? ""
      guard let path = Self.executable(first) else {
        let why =
          first.contains("/")
          ? "'\(first)' is not a program that can be run; build it, or correct its path"
          : "'\(first)' is not a program in PATH; install it, or write './\(first)' for a file in the folder of the scenario"
        throw ScenarioProblems([problem("program", why)])
      }
      return [path] + program.dropFirst()
    }
    guard application.behaviour == nil, let file = source.file else { return nil }
    let reading = ApplicationReading(of: file, variables: BuildVariables(source.definitions))
    return reading.application.flatMap { Self.program(of: $0.declaration) }
  }

  /// The program that an application has beside its property list, and its arguments; nil when none runs here.
  static func program(of declaration: ApplicationDeclaration) -> [String]? {
    switch declaration.program {
    case .executable(let candidates):
      return candidates.first { executable($0) != nil && runsHere($0) }.map { [$0] }
    case .arguments(let arguments):
      guard let first = arguments.first, let path = executable(first) else { return nil }
      return [path] + arguments.dropFirst()
    case .missing: return nil
    }
  }

  /// The absolute path of a program; a name without a slash is searched in `PATH`.
  private static func executable(_ name: String) -> String? {
    let places =
      name.contains("/")
      ? [name]
      : (ProcessArguments.environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
        .map { "\($0)/\(name)" }
    return places.first { unsafe access($0, X_OK) == 0 && !ScenarioFiles.isFolder($0) }
  }

  /// Whether the file begins like a program of Linux or a script. The program of an iOS or macOS application does not.
  private static func runsHere(_ path: String) -> Bool {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var start = [UInt8](repeating: 0, count: 4)
    guard unsafe read(file, &start, 4) == 4 else { return false }
    return start == [0x7F, 0x45, 0x4C, 0x46] || start.starts(with: "#!".utf8)
  }
}
