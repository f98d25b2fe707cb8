package import LaunchRules
internal import PropertyLists

/// What a user says about the build of a property list of a source tree.
package struct BuildRequest: Hashable, Sendable {
  /// The values of build variables, which are stronger than all others.
  package var definitions: [String: String] = [:]
  /// The absolute paths of `.xcconfig` files, which are stronger than the project; a later one is stronger.
  package var configFiles: [String] = []
  /// The absolute path of a folder `NAME.xcodeproj`.
  package var project: String?
  /// The name of a target of the project; nil for all application targets.
  package var target: String?
  /// The name of a configuration, such as `Debug`; nil for the default of the project.
  package var configuration: String?
  package var team: String?
  package var sdk: SDKName?
  package var platform: Platform?

  package init(definitions: [String: String] = [:]) { self.definitions = definitions }

  /// Whether values come from files, so that a variable without a value is a mistake of this request.
  package var readsFiles: Bool { project != nil || !configFiles.isEmpty }

  /// The build of a property list that is given by its path, for a request with a project of one application target,
  /// with a target, or without a project.
  package func settings(_ files: SettingFiles) throws(SettingsFailure) -> BuildSettings {
    guard project != nil else {
      var settings = BuildSettings(
        BuildKind(sdk: sdkForConditions ?? "iphonesimulator", configuration: configuration ?? ""))
      let (assignments, problems) = try ownAssignments(files)
      settings.add(assignments)
      settings.add(problems)
      return settings
    }
    let targets = try targets(files)
    guard targets.count == 1, let only = targets.first else {
      throw SettingsFailure(
        "\(project ?? "") has the application targets"
          + " \(targets.map(\.name).joined(separator: ", ")); choose one with --target")
    }
    return only.settings
  }

  /// The application targets of the project.
  package func targets(_ files: SettingFiles) throws(SettingsFailure) -> [ApplicationTarget] {
    guard let project else { return [] }
    let (assignments, problems) = try ownAssignments(files)
    return try ApplicationTarget.all(
      in: try XcodeProject(project, files), target: target, configuration: configuration,
      sdk: sdkForConditions, stronger: assignments, problems)
  }

  /// The application targets of the project in each configuration. A configuration that cannot be used is left out.
  package func targetsOfAllConfigurations(_ files: SettingFiles) -> [ApplicationTarget] {
    guard let path = project, let project = try? XcodeProject(path, files) else { return [] }
    return (target.map { [$0] } ?? project.applicationTargets).flatMap { target in
      project.configurations(of: target).flatMap { configuration in
        var request = self
        (request.target, request.configuration) = (target, configuration)
        return (try? request.targets(files)) ?? []
      }
    }
  }

  private var sdkForConditions: String? {
    if let name = sdk?.platformName {
      return BuildKind.simulatorSDK(of: name + (sdk?.version ?? ""))
    }
    return platform.map { BuildKind.simulatorSDK(of: $0.sdkName) + (sdk?.version ?? "") }
  }

  /// The assignments of the request itself, weakest first.
  private func ownAssignments(
    _ files: SettingFiles
  ) throws(SettingsFailure) -> ([SettingAssignment], [SettingProblem]) {
    var assignments: [SettingAssignment] = []
    var problems: [SettingProblem] = []
    for file in configFiles {
      let config = try XCConfig(file, files)
      assignments += config.assignments
      problems += config.problems
    }
    func add(_ name: String, _ value: String, _ option: String) {
      assignments.append(SettingAssignment(name, value, source: SettingSource(option)))
    }
    if let team { add(BuildVariableName.team, team, "--team") }
    if let sdk {
      add(
        BuildVariableName.sdk, (sdk.platformName ?? platform?.sdkName ?? "") + sdk.version, "--sdk")
      if let name = sdk.platformName { add(BuildVariableName.platform, name, "--sdk") }
    }
    if let platform { add(BuildVariableName.platform, platform.sdkName, "--platform") }
    for (name, value) in definitions.sorted(by: { $0.key < $1.key }) {
      add(name, value, "--define")
    }
    return (assignments, problems)
  }
}

// MARK: - Options of command lines

extension BuildRequest {
  /// A value that an option does not take.
  package struct InvalidOption: Error, Hashable {
    /// A sentence without its full stop.
    package let sentence: String
  }

  package mutating func takeTeam(_ text: String) throws(InvalidOption) {
    guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
      throw InvalidOption(
        sentence: "option '--team' takes letters and digits, such as ABCDE12345, not '\(text)'")
    }
    team = text
  }

  package mutating func takeSDK(_ text: String) throws(InvalidOption) {
    guard let name = SDKName(text) else {
      throw InvalidOption(
        sentence: "option '--sdk' takes an SDK such as iphoneos26.0 or 26.0, not '\(text)'")
    }
    sdk = name
  }

  package mutating func takePlatform(_ text: String) throws(InvalidOption) {
    guard let platform = Platform(option: text) else {
      throw InvalidOption(sentence: "option '--platform' takes ios or macos, not '\(text)'")
    }
    self.platform = platform
  }
}

/// The name of an SDK: `iphoneos18.0`, `iphonesimulator18.0`, `macosx15.1`, or the version alone.
package struct SDKName: Hashable, Sendable {
  /// Nil for a version alone.
  package let platformName: String?
  package let version: String

  /// Nil for other texts.
  package init?(_ text: String) {
    let name = text.prefix { $0.isASCII && $0.isLetter }
    let version = text.dropFirst(name.count)
    let parts = version.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), name.isEmpty || Platform(sdk: String(name)) != nil,
      parts.allSatisfy({ (1...4).contains($0.count) && $0.allSatisfy { $0.isASCII && $0.isNumber } }
      )
    else { return nil }
    platformName = name.isEmpty ? nil : String(name)
    self.version = String(version)
  }
}

extension Platform {
  /// The platform of the option `--platform`; nil for other texts.
  package init?(option text: String) {
    switch text.lowercased() {
    case "ios": self = .iOS
    case "macos": self = .macOS
    default: return nil
    }
  }

  var sdkName: String {
    switch self {
    case .iOS: "iphoneos"
    case .macOS: "macosx"
    }
  }
}
