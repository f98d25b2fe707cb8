internal import ApplicationFolders
internal import BuildSettings
internal import Commands
internal import Host
internal import LaunchRules
internal import PropertyLists

/// A property list with its build settings.
struct BuildSubject {
  /// The name of the target, or the path.
  var name: String
  /// The absolute path of the property list or bundle; nil for a target whose property list Xcode generates.
  var propertyList: String?
  var settings: BuildSettings
  /// The absolute paths of entitlements beside a property list that no project uses, when there are several.
  var rivalEntitlements: [String] = []

  /// The path of the entitlements that go with the property list; nil without any.
  var entitlements: String? {
    guard let file = propertyList.flatMap({ try? PropertyListPath.find($0) }) else { return nil }
    return ApplicationReading.entitlementsFile(of: file, settings.variables)
  }
}

extension BuildSettings {
  var variables: BuildVariables { BuildVariables(definitions) }
}

/// Build settings for `add`, `lint` and `links verify`.
extension RegisterCommand {
  /// The request with absolute paths of existing files.
  func request(_ given: BuildRequest) throws(CommandFailure) -> BuildRequest {
    var request = given
    request.configFiles = []
    for file in given.configFiles { request.configFiles.append(try existing(file)) }
    request.project = try given.project.map { path throws(CommandFailure) in try existing(path) }
    return request
  }

  func settings(_ request: BuildRequest) throws(CommandFailure) -> BuildSettings {
    do throws(SettingsFailure) {
      return try request.settings(.ofDisk)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The application targets of the project of the request.
  func targets(_ request: BuildRequest) throws(CommandFailure) -> [BuildSubject] {
    do throws(SettingsFailure) {
      return try request.targets(.ofDisk).map {
        BuildSubject(name: $0.name, propertyList: $0.propertyList, settings: $0.settings)
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The application targets of one project, for a request that names none.
  static func targets(
    of project: String, _ request: BuildRequest
  ) throws(SettingsFailure) -> [BuildSubject] {
    var ofProject = request
    ofProject.project = project
    return try ofProject.targets(.ofDisk).map {
      BuildSubject(name: $0.name, propertyList: $0.propertyList, settings: $0.settings)
    }
  }

  /// The property lists of targets in all configurations of the projects.
  func otherConfigurations(_ projects: [String], _ request: BuildRequest) -> [BuildSubject] {
    guard request.configuration == nil else { return [] }
    return projects.flatMap { project in
      var ofProject = request
      ofProject.project = project
      return ofProject.targetsOfAllConfigurations(.ofDisk).map {
        BuildSubject(name: $0.name, propertyList: $0.propertyList, settings: $0.settings)
      }
    }
  }

  /// The build of a file that is given by its path: that of the project of the request, or of the project around the file that
  /// uses it, as when the folder of that project is checked.
  func subject(
    ofFile path: String, _ request: BuildRequest
  ) throws(CommandFailure) -> BuildSubject {
    guard request.project == nil else {
      return BuildSubject(name: path, propertyList: path, settings: try settings(request))
    }
    for project in SourceTree.projects(around: path) {
      let targets =
        ((try? Self.targets(of: project, request)) ?? [])
        + otherConfigurations([project], request)
      if let target = targets.first(where: { $0.propertyList == path || $0.entitlements == path }) {
        return BuildSubject(name: path, propertyList: path, settings: target.settings)
      }
    }
    return try looseSubject(path, request)
  }

  /// The build of a file that no project uses. A property list has the entitlements beside it.
  func looseSubject(
    _ path: String, _ request: BuildRequest
  ) throws(CommandFailure) -> BuildSubject {
    var ofPath = request
    let key = BuildVariableName.entitlements
    var beside: [String] = []
    if ofPath.definitions[key] == nil, case .propertyList = LintedFile(path) {
      beside = SourceTree.entitlements(beside: path)
    }
    if beside.count == 1 { ofPath.definitions[key] = beside.first }
    var subject = BuildSubject(name: path, propertyList: path, settings: try settings(ofPath))
    if beside.count > 1, subject.entitlements == nil { subject.rivalEntitlements = beside }
    return subject
  }

  /// The values that the daemon needs for the property list: a project has hundreds.
  func definitions(of subject: BuildSubject, at path: String) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: used(of: subject, at: path).map { ($0.name, $0.value) })
  }

  /// The build settings that the property list and its entitlements use.
  func used(of subject: BuildSubject, at path: String) -> [BuildSettings.Setting] {
    guard let file = try? PropertyListPath.find(path) else { return [] }
    let files =
      [file]
      + [
        ApplicationReading.entitlementsFile(of: file, subject.settings.variables)
      ].compactMap(\.self)
    let texts = files.compactMap {
      try? RegularFile.read($0, atMost: InfoPropertyList.largestSize).bytes
    }
    return subject.settings.used(in: texts.map { String(decoding: $0, as: UTF8.self) })
  }
}

extension CommandFailure {
  init(_ failure: SettingsFailure) {
    self.init(failure.isMissingFile ? .noSuchFile : .failed, failure.description)
  }
}
