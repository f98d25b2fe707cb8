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
}

extension BuildSettings {
  var variables: BuildVariables { BuildVariables(definitions) }
}

/// Build settings for `add` and `lint`.
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
