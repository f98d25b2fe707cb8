internal import ApplicationFolders
internal import BuildSettings
internal import Commands
internal import PropertyLists
internal import Reports

/// A parsed command line of `lstest`.
struct TestInvocation: Equatable {
  enum Action: Equatable {
    case run([String])
    case check([String])
    case shell([String], command: [String])
    case initialise(String)
    case shims
    case completions(CompletingShell)
    case help
    case version
  }

  private(set) var action = Action.help
  /// The build variables of all applications, also those that say the team, the SDK and the platform.
  private(set) var definitions: [String: String] = [:]
  private(set) var format = ReportFormat.text
  /// A path as it was written; nil for standard output only.
  private(set) var output: String?
  private(set) var hasBus = true
  private(set) var explains = false
  private(set) var keeps = false

  init(_ arguments: [String]) throws(CommandFailure) {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let rest = Array(arguments[end...].dropFirst())
    var operands: [String] = []
    var used: [TestFlag] = []
    var definitions: [String] = []
    var build: [(flag: TestFlag, value: String)] = []
    for argument in try Argument<TestFlag>.parse(Array(arguments[..<end])) {
      guard case .option(let flag, let value) = argument else {
        if case .operand(let operand) = argument { operands.append(operand) }
        continue
      }
      used.append(flag)
      switch flag {
      case .define: definitions.append(value)
      case .team, .sdk, .platform: build.append((flag, value))
      case .format: format = try Self.format(value)
      case .output: output = value
      case .noBus: hasBus = false
      case .explain: explains = true
      case .keep: keeps = true
      case .completions:
        action = .completions(try CompletingShell(option: flag.name, value: value))
        return
      case .help: return
      case .version:
        action = .version
        return
      }
    }
    do throws(BuildVariables.InvalidDefinition) {
      for definition in definitions {
        _ = try BuildVariables(arguments: [definition])
        guard let (name, value) = splitDefinition(definition) else { continue }
        self.definitions[name] = value
      }
    } catch {
      throw .usage("\(TestFlag.define.name): \(error)")
    }
    try add(build)
    try take(operands, rest, used)
  }

  private mutating func add(
    _ options: [(flag: TestFlag, value: String)]
  ) throws(CommandFailure) {
    var request = BuildRequest(definitions: definitions)
    do throws(BuildRequest.InvalidOption) {
      for (flag, value) in options {
        switch flag {
        case .team: try request.takeTeam(value)
        case .sdk: try request.takeSDK(value)
        case .platform: try request.takePlatform(value)
        default: break
        }
      }
    } catch {
      throw .usage(error.sentence)
    }
    do throws(SettingsFailure) {
      definitions = try request.settings(.ofDisk).definitions
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  private mutating func take(
    _ operands: [String], _ rest: [String], _ used: [TestFlag]
  ) throws(CommandFailure) {
    let verbs = TestVerb.allCases.map(\.rawValue).joined(separator: ", ")
    guard let name = operands.first else { throw .usage("name a verb: \(verbs)") }
    guard let verb = TestVerb(rawValue: name) else {
      throw .usage("'\(name)' is not a verb; the verbs are \(verbs)")
    }
    if let odd = used.first(where: { !verb.flags.contains($0) }) {
      throw .usage(
        "\(odd.name) does not belong to \(verb.rawValue); write: lstest \(verb.synopsis)")
    }
    let paths = Array(operands.dropFirst()) + (verb == .shell ? [] : rest)
    switch verb {
    case .run where !paths.isEmpty: action = .run(paths)
    case .check where !paths.isEmpty: action = .check(paths)
    case .shell: action = .shell(paths, command: rest)
    case .`init` where paths.count == 1: action = .initialise(paths[0])
    case .shims where paths.isEmpty: action = .shims
    case .run, .check, .`init`, .shims:
      throw .usage("these arguments are not valid; write: lstest \(verb.synopsis)")
    }
  }

  private static func format(_ value: String) throws(CommandFailure) -> ReportFormat {
    guard let format = ReportFormat(rawValue: value) else {
      throw .usage("\(TestFlag.format.name): '\(value)' is none of \(ReportFormat.names)")
    }
    return format
  }
}
