internal import ApplicationFolders
internal import BuildSettings
internal import Commands
internal import FoundationEssentials
internal import Host
internal import LaunchRules
internal import PropertyLists
internal import StubApplications

/// A scenario for applications that were found: one step for every scheme, query, domain and quick action.
struct ScenarioDraft {
  private let name: String
  /// The folder at which relative paths begin.
  private let folder: String
  private let definitions: [String: String]
  private var applications: [PropertyTree] = []
  private var steps = DraftSteps()
  private var identifiers: Set<BundleIdentifier> = []
  /// The absolute paths of the property lists of targets.
  private var listsOfTargets: Set<String> = []
  /// What the user should know of files and projects.
  private var ownRemarks: [String] = []

  /// A team for applications whose team is in no file.
  private static let exampleTeam = "EXAMPLE123"

  init(name: String, folder: String, definitions: [String: String]) {
    self.name = name
    self.folder = folder
    self.definitions = definitions
  }

  var isEmpty: Bool { applications.isEmpty }

  /// What the user should know.
  var remarks: [String] { ownRemarks + steps.remarks }

  var tree: PropertyTree {
    var root: [String: PropertyTree] = [
      "name": .string(name), "applications": .array(applications),
      "steps": .array(steps.list),
    ]
    if !steps.sites.isEmpty { root["sites"] = .dictionary(steps.sites) }
    return .dictionary(root)
  }

  // MARK: Applications

  /// Adds the applications of a source tree: those of its projects, its bundles, and its other property lists.
  mutating func add(_ tree: SourceTree) {
    for folder in tree.unsearched {
      ownRemarks.append(
        "\(folder) is not searched: the folder cannot be listed, or the tree is too large")
    }
    for project in tree.projects { add(project: project) }
    let bundles = tree.bundles.compactMap { try? PropertyListPath.find($0) }
    for list in bundles + tree.propertyLists where !listsOfTargets.contains(list) {
      add(list, isNamed: false)
    }
  }

  /// Adds the application targets of a project, an absolute path.
  mutating func add(project: String) {
    var request = BuildRequest(definitions: definitions)
    request.project = project
    do throws(SettingsFailure) {
      let targets = try request.targets(.ofDisk)
      // Those of other configurations belong to the same applications.
      listsOfTargets.formUnion(
        request.targetsOfAllConfigurations(.ofDisk).compactMap(\.propertyList))
      for target in targets {
        guard let list = target.propertyList else {
          ownRemarks.append(
            "the target \(target.name) of \(project) is left out: Xcode generates its property list, which"
              + " claims no scheme")
          continue
        }
        listsOfTargets.insert(list)
        add(
          list, isNamed: true, target.settings.definitions,
          ["xcode": .string(relative(project)), "target": .string(target.name)])
      }
    } catch {
      ownRemarks.append("\(project) is left out: \(error)")
    }
  }

  /// Adds the application of a property list.
  /// - Parameters:
  ///   - path: an absolute path.
  ///   - isNamed: whether the user has named the file, and not only a folder around it.
  mutating func add(_ path: String, isNamed: Bool) {
    var source: [String: PropertyTree] = ["plist": .string(relative(path))]
    var variables = definitions
    let beside =
      ApplicationReading.entitlementsFile(of: path, .none) == nil
        && definitions[BuildVariableName.entitlements] == nil
      ? SourceTree.entitlements(beside: path) : []
    if beside.count > 1 {
      ownRemarks.append(
        "\(path) has several entitlements beside it, so the associated domains have no step: name the file of the"
          + " build with --define \(BuildVariableName.entitlements)=\(beside[0])")
    } else if let entitlements = beside.first {
      source["entitlements"] = .string(relative(entitlements))
      variables[BuildVariableName.entitlements] = entitlements
    }
    add(path, isNamed: isNamed, variables, source)
  }

  /// - Parameters:
  ///   - variables: the values of build variables.
  ///   - source: the keys that name the application in the scenario.
  private mutating func add(
    _ path: String, isNamed: Bool, _ variables: [String: String], _ source: [String: PropertyTree]
  ) {
    let tree: PropertyTree
    do {
      let bytes = try RegularFile.read(path, atMost: InfoPropertyList.largestSize).bytes
      tree = try ScenarioSyntax.propertyList(bytes)
    } catch let wrong as ScenarioSyntax.Wrong {
      ownRemarks.append("\(path) is left out: \(wrong.sentence)")
      return
    } catch {
      ownRemarks.append("\(path) is left out: \(error)")
      return
    }
    guard isNamed || Self.isApplication(tree) else { return }
    let needed = NeededVariables(
      of: tree, at: path, variables, isOfTarget: source["xcode"] != nil)
    let reading = ApplicationReading(of: path, variables: needed.variables)
    guard let declaration = reading.application?.declaration else {
      let errors = reading.diagnostics.filter { $0.severity == .error }
      ownRemarks.append("\(path) is left out: \(errors.map(\.logSentence).joined(separator: "; "))")
      return
    }
    guard identifiers.insert(declaration.identifier).inserted else {
      ownRemarks.append(
        "\(path) is left out: another property list has the identifier \(declaration.identifier)")
      return
    }
    for name in needed.names {
      ownRemarks.append(
        "\(path) needs a value of the build variable \(name): write it in the scenario in place of null, or run the"
          + " scenario with --define \(name)=VALUE")
    }
    var entry = source
    var define = definitions.filter { text in
      reading.path == path && Self.mentions(text.key, tree)
    }.mapValues(PropertyTree.string)
    for name in needed.names { define[name] = .null }
    if !define.isEmpty { entry["define"] = .dictionary(define) }
    entry.merge(given) { $1 }
    var team = declaration.team
    if !declaration.associatedDomains.isEmpty, team == nil {
      team = Self.exampleTeam
      entry["team"] = .string(Self.exampleTeam)
      ownRemarks.append(
        "the team of \(path) is in none of its files: the scenario uses \(Self.exampleTeam)")
    }
    let isPath = entry.count == 1 && entry["plist"] != nil
    applications.append(isPath ? entry["plist"] ?? .null : .dictionary(entry))
    for diagnostic in reading.diagnostics where reading.refusedSchemes.contains(diagnostic.keyPath)
    {
      ownRemarks.append(
        "\(diagnostic.keyPath) of \(declaration.identifier) has no step: \(diagnostic.problem)")
    }
    steps.add(declaration, team: team, needed)
  }

  /// The keys for what the command line says of all applications.
  private var given: [String: PropertyTree] {
    var keys: [String: PropertyTree] = [:]
    for (key, name) in [("team", BuildVariableName.team), ("sdk", BuildVariableName.sdk)] {
      if let value = definitions[name] { keys[key] = .string(value) }
    }
    if let name = definitions[BuildVariableName.platform] {
      let word = PlatformWord.allCases.first { $0.variable == name }
      if let word { keys["platform"] = .string(word.rawValue) }
    }
    return keys
  }

  /// Whether the property list is that of an application, and not of a framework, an extension or tests.
  private static func isApplication(_ tree: PropertyTree) -> Bool {
    guard let entries = tree.asDictionary, entries["NSExtension"] == nil,
      entries["EXAppExtensionAttributes"] == nil, entries["WKApplication"] == nil
    else { return false }
    switch entries["CFBundlePackageType"]?.asString {
    case "BNDL", "FMWK", "XPC!", "KEXT": return false
    default: break
    }
    return entries["CFBundleIdentifier"] != nil || entries["CFBundleURLTypes"] != nil
  }

  private static func mentions(_ name: String, _ tree: PropertyTree) -> Bool {
    switch tree {
    case .string(let text): text.contains(name)
    case .array(let list): list.contains { mentions(name, $0) }
    case .dictionary(let entries): entries.values.contains { mentions(name, $0) }
    default: false
    }
  }

  private func relative(_ path: String) -> String {
    let from = folder.split(separator: "/")
    let to = path.split(separator: "/")
    let shared = zip(from, to).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: from.count - shared) + to[shared...].map(String.init))
      .joined(separator: "/")
  }
}
