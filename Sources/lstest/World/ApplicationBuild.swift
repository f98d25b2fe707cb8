internal import ApplicationFolders
internal import BuildSettings
internal import Host
internal import LaunchRules
internal import PropertyLists
internal import Reports
internal import StubApplications

/// The build settings of an application of a scenario. Nothing of a project is run.
struct ApplicationBuild {
  private let settings: BuildSettings
  /// Whether values come from files.
  private let readsFiles: Bool
  /// The property list of the target; nil without a project.
  let propertyList: String?

  init(_ application: ScenarioApplication) throws(ScenarioProblems) {
    var request = BuildRequest(definitions: application.definitions)
    request.configFiles = application.configurationFile.map { [$0] } ?? []
    request.project = application.project?.path
    request.target = application.project?.target
    request.configuration = application.project?.configuration
    readsFiles = request.readsFiles
    let key = application.project == nil ? "xcconfig" : "xcode"
    do throws(SettingsFailure) {
      guard application.project != nil else {
        settings = try request.settings(.ofDisk)
        propertyList = nil
        return
      }
      let targets = try request.targets(.ofDisk)
      guard targets.count == 1, let target = targets.first else {
        let names = targets.map(\.name).joined(separator: ", ")
        throw SettingsFailure(
          "the project has the application targets \(names); choose one with target")
      }
      settings = target.settings
      propertyList = target.propertyList
    } catch {
      throw ScenarioProblems([application.value.problem(key, error.description)])
    }
  }

  var variables: BuildVariables { BuildVariables(settings.definitions) }

  func defines(_ name: String) -> Bool { settings[name] != nil }

  /// The values for the daemon. A project has hundreds; the daemon gets those that the texts use. The entitlements have
  /// been read.
  func definitions(usedIn texts: [String]) -> [String: String] {
    guard readsFiles else { return settings.definitions }
    var used: [String: String] = [:]
    for setting in settings.used(in: texts) where setting.name != BuildVariableName.entitlements {
      used[setting.name] = setting.value
    }
    return used
  }

  /// The problems of files of build settings.
  func remarks(_ shown: (String) -> String) -> [Report.Finding] {
    settings.problems.map {
      Report.Finding(
        .notice, $0.text, title: "build settings",
        at: Report.Place(shown($0.source.file), line: $0.source.line))
    }
  }

  /// Texts for people. A scenario does not need their values.
  private static let others: Set = [
    "CFBundleDisplayName", "CFBundleExecutable", "CFBundleName", "CFBundleShortVersionString",
    "CFBundleURLName", "CFBundleVersion",
  ]

  /// The variables without a value that a scenario needs although values come from files: those in identifiers, schemes
  /// and domains.
  func needed(_ reading: ApplicationReading) -> [OpenVariable] {
    guard readsFiles else { return [] }
    return reading.openVariables.filter(Self.isNeeded)
  }

  static func isNeeded(_ variable: OpenVariable) -> Bool {
    !others.contains { variable.keyPath == $0 || variable.keyPath.hasSuffix(".\($0)") }
  }
}
