internal import PropertyLists

/// An application target of an Xcode project: its property list and its build settings.
package struct ApplicationTarget {
  package let name: String
  package let settings: BuildSettings
  /// The absolute path of the property list of the source tree; nil when Xcode generates all of it.
  package let propertyList: String?

  /// The application targets of a project.
  /// - Parameters:
  ///   - target: the name of one target; nil for all application targets.
  ///   - configuration: nil for the default configuration of the project.
  ///   - build: the SDK for conditions; nil for the one that the project names.
  ///   - stronger: assignments that are stronger than those of the project, with their problems.
  package static func all(
    in project: XcodeProject, target: String?, configuration: String?, sdk: String?,
    stronger: [SettingAssignment], _ problems: [SettingProblem]
  ) throws(SettingsFailure) -> [ApplicationTarget] {
    let names = target.map { [$0] } ?? project.applicationTargets
    guard !names.isEmpty else {
      throw SettingsFailure("\(project.path) has no application target")
    }
    var found: [ApplicationTarget] = []
    for name in names {
      var settings = try project.settings(of: name, configuration: configuration, sdk: sdk)
      settings.add(stronger)
      settings.add(problems)
      found.append(try ApplicationTarget(name, settings, in: project))
    }
    return found
  }

  private init(
    _ name: String, _ settings: BuildSettings, in project: XcodeProject
  ) throws(SettingsFailure) {
    self.name = name
    self.settings = settings
    if BuildSettings.isTrue(settings.value("INFOPLIST_PREPROCESS")) {
      throw SettingsFailure(
        "the target \(name) of \(project.path) sets INFOPLIST_PREPROCESS: the C preprocessor makes its"
          + " property list; use the Info.plist of the built application")
    }
    propertyList = settings.value("INFOPLIST_FILE").map {
      SettingPath.join(project.sourceRoot, $0)
    }
    if propertyList == nil, let setting = settings["INFOPLIST_FILE"], !setting.value.isEmpty {
      throw SettingsFailure(
        "\(setting.source): the path of the property list, \(setting.value), contains a variable"
          + " without a value; give it one with --define")
    }
  }
}

extension BuildSettings {
  static func isTrue(_ text: String?) -> Bool {
    text.map { ["yes", "true", "1"].contains($0.lowercased()) } ?? false
  }
}
