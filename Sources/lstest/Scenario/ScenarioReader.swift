internal import BuildSettings
internal import Commands
internal import FoundationEssentials
internal import Host
internal import KeyLines
internal import LaunchRules
internal import PropertyLists
internal import Reports
internal import StubApplications

/// Reads scenario files.
struct ScenarioReader {
  /// Build variables of the command line, which count before those of the scenario.
  let definitions: [String: String]
  /// The folder of the command, from which paths in messages begin.
  let folder: String

  /// The largest scenario file, in bytes.
  static let largest = 4 << 20

  /// - Parameter path: an absolute path.
  func read(_ path: String) throws(ScenarioProblems) -> Scenario {
    let shown = shown(path)
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try RegularFile.read(path, atMost: Self.largest).bytes
    } catch {
      throw ScenarioProblems([
        ScenarioProblem(place: Report.Place(shown), key: "", sentence: "cannot be read: \(error)")
      ])
    }
    return try read(bytes, at: path)
  }

  /// - Parameter path: the absolute path of the file, which need not exist.
  func read(_ bytes: [UInt8], at path: String) throws(ScenarioProblems) -> Scenario {
    let shown = shown(path)
    let tree: PropertyTree
    do throws(ScenarioSyntax.Wrong) {
      tree = try ScenarioSyntax.tree(bytes)
    } catch {
      throw ScenarioProblems([
        ScenarioProblem(
          place: Report.Place(shown, line: error.line), key: "", sentence: error.sentence)
      ])
    }
    let reading = ScenarioReading(file: shown, lines: KeyLines(bytes))
    var parent = path[...].split(separator: "/").dropLast().joined(separator: "/")
    parent = "/" + parent
    let name = String(path.split(separator: "/").last ?? "")
    var scenario = Scenario(name: Self.name(ofFile: name), file: shown, folder: parent)
    let root = ScenarioValue(tree: tree, key: "", reading: reading)
    if let keys = root.keys(RootKey.self) { take(keys, into: &scenario) }
    guard reading.problems.isEmpty else { throw ScenarioProblems(reading.problems) }
    return scenario
  }

  /// The path for messages: relative when the file is below the folder of the command.
  func shown(_ path: String) -> String {
    path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : path
  }

  private static func name(ofFile name: String) -> String {
    for suffix in ScenarioFiles.suffixes + [".json", ".plist"] where name.hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return name
  }

  private func take(_ keys: [RootKey: ScenarioValue], into scenario: inout Scenario) {
    if let name = keys[.name]?.text() { scenario.name = name }
    let shared: Variables = keys[.define].map(variables) ?? ([:], [])
    scenario.applications = (keys[.applications]?.elements() ?? []).compactMap {
      application($0, shared, scenario.folder)
    }
    scenario.sites = (keys[.sites]?.entries() ?? []).compactMap { domain, value in
      guard WebHost(domain)?.isFullyQualified == true else {
        value.report("'\(domain)' is not a host; write its name alone, such as example.com")
        return nil
      }
      return contents(value, scenario.folder).map {
        ScenarioSite(domain: domain, file: $0, value: value)
      }
    }
    scenario.settings = keys[.settings]?.settings() ?? [:]
    let variables = StepVariables(shared, scenario.applications, definitions)
    let steps = (keys[.steps]?.elements() ?? []).map(variables.expand)
    scenario.steps = StepReader(folder: scenario.folder).read(steps)
  }

  // MARK: Applications

  typealias Variables = (values: [String: String], needed: [(name: String, place: Report.Place)])

  private func application(
    _ value: ScenarioValue, _ shared: Variables, _ folder: String
  ) -> ScenarioApplication? {
    // A path alone is short for an application with nothing else to say.
    if case .string(let path) = value.tree {
      return complete(
        ScenarioApplication(
          propertyList: .file(FilePath.absolute(path, from: folder)), value: value), shared)
    }
    guard let keys = value.keys(ApplicationKey.self) else { return nil }
    let list = keys[.plist].flatMap { contents($0, folder) }
    if list == nil, keys[.plist] != nil || keys[.xcode] == nil {
      if keys[.plist] == nil {
        value.report(
          "has no plist: name the property list of the application, or write it here, or name a project with"
            + " xcode")
      }
      return nil
    }
    var application = ScenarioApplication(propertyList: list, value: value)
    application.entitlements = keys[.entitlements].flatMap { contents($0, folder) }
    if let define = keys[.define] {
      (application.definitions, application.needed) = variables(define)
    }
    if let team = keys[.team]?.text(), definitions[BuildVariableName.team] == nil {
      application.definitions[BuildVariableName.team] = team
      application.addedKeys["AppIdentifierPrefix"] = .string(team + ".")
    }
    let platform = keys[.platform]?.word(PlatformWord.self)
    if let sdk = keys[.sdk].flatMap({ self.sdk($0, platform) }),
      definitions[BuildVariableName.sdk] == nil
    {
      application.addedKeys["DTSDKName"] = .string(sdk)
    }
    if let platform, definitions[BuildVariableName.platform] == nil {
      application.addedKeys["DTPlatformName"] = .string(platform.variable)
    }
    application.configurationFile = path(keys[.xcconfig], folder)
    if let project = path(keys[.xcode], folder) {
      application.project = ScenarioProject(
        path: project, target: keys[.target]?.text(), configuration: keys[.configuration]?.text())
    } else if let stray = keys[.target] ?? keys[.configuration] {
      stray.report("belongs to xcode, which is missing")
    }
    application.program = keys[.program].map { program($0, folder) }
    application.behaviour = keys[.behaviour].flatMap(behaviour)
    if application.program != nil, let behaviour = keys[.behaviour] {
      behaviour.report("belongs to a stub, but the application has a program")
    }
    return complete(application, shared)
  }

  /// The name of an SDK. A version alone is one of the platform.
  private func sdk(_ value: ScenarioValue, _ platform: PlatformWord?) -> String? {
    guard let text = value.text() else { return nil }
    if text.contains("$(") || text.contains("${") { return text }
    guard let name = SDKName(text) else {
      value.report("must be an SDK such as iphoneos26.0 or 26.0, not '\(text)'")
      return nil
    }
    return (name.platformName ?? platform?.variable ?? "") + name.version
  }

  /// Adds the variables of the whole scenario and of the command line.
  private func complete(
    _ application: ScenarioApplication, _ shared: Variables
  ) -> ScenarioApplication {
    var application = application
    application.definitions = shared.values.merging(application.definitions) { $1 }
      .merging(definitions) { $1 }
    application.needed = (application.needed + shared.needed).filter {
      application.definitions[$0.name] == nil
    }
    return application
  }

  private func variables(_ value: ScenarioValue) -> Variables {
    var variables: Variables = ([:], [])
    for (name, value) in value.entries() {
      switch value.tree {
      case .string(let text): variables.values[name] = text
      case .integer(let number): variables.values[name] = String(number)
      case .boolean(let flag): variables.values[name] = flag ? "YES" : "NO"
      case .null: variables.needed.append((name, value.place))
      default: value.report("is \(value.tree.kind), but must be text")
      }
    }
    return variables
  }

  private func program(_ value: ScenarioValue, _ folder: String) -> [String] {
    var words = value.texts()
    // A name without a slash is searched in PATH.
    if let first = words.first, first.contains("/") {
      words[0] = FilePath.absolute(first, from: folder)
    }
    return words
  }

  private func behaviour(_ value: ScenarioValue) -> StubBehaviour? {
    do throws(StubBehaviour.Wrong) {
      return try StubBehaviour(word: value.texts().joined(separator: ","))
    } catch {
      value.report(error.problem)
      return nil
    }
  }

  private func contents(_ value: ScenarioValue, _ folder: String) -> ScenarioContents? {
    if case .dictionary = value.tree { return .inline(value.tree) }
    guard case .string = value.tree else {
      value.report("is \(value.tree.kind), but must be the path of a file, or its contents")
      return nil
    }
    return path(value, folder).map(ScenarioContents.file)
  }

  private func path(_ value: ScenarioValue?, _ folder: String) -> String? {
    value?.text().map { FilePath.absolute($0, from: folder) }
  }
}
