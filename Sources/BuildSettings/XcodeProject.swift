internal import PropertyLists

/// An Xcode project: its application targets, and the build settings of each.
package struct XcodeProject {
  /// The absolute path of the folder `NAME.xcodeproj`.
  package let path: String
  private let file: ProjectFile
  private let lines: ProjectLines
  private let files: SettingFiles
  /// The group that contains each object.
  private var parents: [String: String] = [:]

  private static let applicationTypes = [
    "com.apple.product-type.application",
    "com.apple.product-type.application.on-demand-install-capable",
  ]
  private static let deepest = 64

  /// The path of the project's file, from the path of the project.
  package static func file(of project: String) -> String { project + "/project.pbxproj" }

  /// - Parameter path: the absolute path of the folder `NAME.xcodeproj`.
  package init(_ path: String, _ files: SettingFiles) throws(SettingsFailure) {
    self.path = path
    self.files = files
    let place = Self.file(of: path)
    let bytes: [UInt8]
    do throws(SettingFiles.Problem) {
      bytes = try files.read(place, HostileInput.largestProject)
    } catch {
      switch error {
      case .missing:
        throw SettingsFailure("The file \(place) does not exist.", isMissingFile: true)
      case .unreadable(let text): throw SettingsFailure(text)
      }
    }
    file = try ProjectFile(bytes, at: place)
    lines = ProjectLines(bytes)
    // A file in several groups belongs to the one with the least ID: the order of a dictionary differs between runs.
    for (id, object) in file.objects.sorted(by: { $0.key < $1.key }) {
      for child in object.children where parents[child] == nil { parents[child] = id }
    }
  }

  private var project: ProjectObject? { file[file.rootObject] }
  private var folder: String { SettingPath.folder(of: path) }
  /// The folder in which paths of the project begin.
  package var sourceRoot: String { SettingPath.join(folder, project?.projectDirPath ?? "") }

  /// The names of the application targets, in the order of the project.
  package var applicationTargets: [String] {
    (project?.targets ?? []).compactMap { file[$0] }
      .filter { Self.applicationTypes.contains($0.productType ?? "") }.compactMap(\.name)
  }

  /// The names of the target's configurations, in the order of the project.
  package func configurations(of target: String) -> [String] {
    guard let object = self.target(target) else { return [] }
    return configurationList(of: object).compactMap { file[$0]?.name }
  }

  private func target(_ name: String) -> ProjectObject? {
    (project?.targets ?? []).compactMap { file[$0] }.first {
      $0.name == name && $0.isa == "PBXNativeTarget"
    }
  }

  private func configurationList(of object: ProjectObject?) -> [String] {
    file[object?.buildConfigurationList]?.buildConfigurations ?? []
  }

  // MARK: Settings

  /// The build settings of a target, for a build for the simulator.
  /// - Parameters:
  ///   - name: the name of a native target.
  ///   - configuration: nil for the default configuration of the project.
  ///   - sdk: the SDK for conditions; nil for the one that the project names.
  package func settings(
    of name: String, configuration: String?, sdk: String?
  ) throws(SettingsFailure) -> BuildSettings {
    guard let target = target(name) else {
      throw SettingsFailure(
        "\(path) has no target \(name); its application targets are "
          + Self.list(applicationTargets))
    }
    let configurations = configurations(of: name)
    let chosen =
      configuration ?? file[target.buildConfigurationList]?.defaultConfigurationName
      ?? file[project?.buildConfigurationList]?.defaultConfigurationName ?? configurations.first
    guard let chosen, configurations.contains(chosen) else {
      throw SettingsFailure(
        "the target \(name) of \(path) has no configuration \(chosen ?? "at all"); its configurations"
          + " are \(Self.list(configurations))")
    }
    let layers = try layers(of: target, chosen)
    // The SDK decides which conditions hold, and is itself a setting.
    var build = BuildKind(sdk: sdk ?? "", configuration: chosen)
    if sdk == nil {
      var plain = BuildSettings(build)
      for layer in layers { plain.add(layer.assignments) }
      build.sdk = BuildKind.simulatorSDK(of: plain.value(BuildVariableName.sdkRoot) ?? "iphoneos")
    }
    var settings = BuildSettings(build)
    settings.add(defaults(target: name, build))
    for layer in layers {
      settings.add(layer.assignments)
      settings.add(layer.problems)
    }
    return settings
  }

  private struct Layer {
    var assignments: [SettingAssignment]
    var problems: [SettingProblem] = []
  }

  /// Weakest first: the project's file, the project, the target's file, the target.
  private func layers(
    of target: ProjectObject, _ configuration: String
  ) throws(SettingsFailure) -> [Layer] {
    var layers: [Layer] = []
    for owner in [project, target] {
      guard
        let id = configurationList(of: owner).first(where: { file[$0]?.name == configuration }),
        let object = file[id]
      else { continue }
      if let base = base(of: object) { layers.append(try layer(ofFile: base, id)) }
      layers.append(Layer(assignments: assignments(of: object, id)))
    }
    return layers
  }

  private func layer(ofFile path: String, _ id: String) throws(SettingsFailure) -> Layer {
    do throws(SettingsFailure) {
      let config = try XCConfig(path, files)
      return Layer(assignments: config.assignments, problems: config.problems)
    } catch {
      // Such files are often made by a tool, and are not in the repository.
      guard error.isMissingFile else { throw error }
      let source = source("baseConfigurationReference", id)
      return Layer(
        assignments: [],
        problems: [SettingProblem(source, "the configuration file \(path) does not exist")])
    }
  }

  /// Conditions are stronger than none, whatever the order in the file.
  private func assignments(of object: ProjectObject, _ id: String) -> [SettingAssignment] {
    object.buildSettings.map { key, value in
      let bracket = key.firstIndex(of: "[") ?? key.endIndex
      return SettingAssignment(
        String(key[..<bracket]), value.text,
        conditions: XCConfigFile.conditions(key[bracket...]) ?? [], source: source(key, id))
    }
    .sorted { ($0.conditions.count, $0.name, $0.value) < ($1.conditions.count, $1.name, $1.value) }
  }

  private func source(_ key: String, _ id: String) -> SettingSource {
    SettingSource(Self.file(of: path), line: lines.line(of: key, in: id))
  }

  /// The values that Xcode sets by itself.
  private func defaults(target: String, _ build: BuildKind) -> [SettingAssignment] {
    let source = SettingSource("default of Xcode")
    let name = path.split(separator: "/").last?.split(separator: ".").first ?? ""
    let platform = String(build.sdk.prefix { $0.isLetter })
    let values = [
      ("TARGET_NAME", target), ("TARGETNAME", target), ("PRODUCT_NAME", "$(TARGET_NAME)"),
      ("EXECUTABLE_NAME", "$(EXECUTABLE_PREFIX)$(PRODUCT_NAME)$(EXECUTABLE_SUFFIX)"),
      ("EXECUTABLE_PREFIX", ""), ("EXECUTABLE_SUFFIX", ""),
      ("PRODUCT_MODULE_NAME", "$(PRODUCT_NAME:c99extidentifier)"),
      ("PRODUCT_BUNDLE_PACKAGE_TYPE", "APPL"), ("WRAPPER_EXTENSION", "app"),
      ("WRAPPER_NAME", "$(PRODUCT_NAME).app"), ("FULL_PRODUCT_NAME", "$(PRODUCT_NAME).app"),
      ("PROJECT_NAME", String(name)), ("PROJECT_DIR", folder), ("SRCROOT", sourceRoot),
      ("SOURCE_ROOT", sourceRoot), ("CONFIGURATION", build.configuration),
      ("DEVELOPMENT_LANGUAGE", project?.developmentRegion ?? "en"), ("PLATFORM_NAME", platform),
    ]
    return values.map { SettingAssignment($0, $1, source: source) } + flutter
  }

  /// `flutter build` writes these two into Generated.xcconfig, which is not in a repository.
  private var flutter: [SettingAssignment] {
    let place = SettingPath.join(sourceRoot, "../pubspec.yaml")
    guard let bytes = try? files.read(place, XCConfig.largestFile) else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard let index = lines.firstIndex(where: { $0.hasPrefix("version:") }) else { return [] }
    let version = lines[index].dropFirst("version:".count).trimmed.prefix { !$0.isWhitespace }
      .filter { !"\"'".contains($0) }
    let parts = version.split(separator: "+", maxSplits: 1)
    guard let build = parts.first else { return [] }
    let source = SettingSource(place, line: index + 1)
    return [
      SettingAssignment("FLUTTER_BUILD_NAME", String(build), source: source),
      SettingAssignment(
        "FLUTTER_BUILD_NUMBER", String(parts.count > 1 ? parts[1] : build), source: source),
    ]
  }

  // MARK: Paths

  private func base(of configuration: ProjectObject) -> String? {
    if let anchor = configuration.baseConfigurationAnchor,
      let relative = configuration.baseConfigurationRelativePath
    {
      return path(of: anchor).map { SettingPath.join($0, relative) }
    }
    return configuration.baseConfigurationReference.flatMap { path(of: $0) }
  }

  /// The absolute path of a file reference or a group; nil for a place that only a build has.
  private func path(of id: String, depth: Int = 0) -> String? {
    guard depth < Self.deepest, let object = file[id] else { return nil }
    let own = object.path ?? ""
    switch object.sourceTree {
    case "<absolute>": return SettingPath.join("/", own)
    case "SOURCE_ROOT": return SettingPath.join(sourceRoot, own)
    case "<group>", nil:
      guard let parent = parents[id] else { return SettingPath.join(sourceRoot, own) }
      return path(of: parent, depth: depth + 1).map { SettingPath.join($0, own) }
    default: return nil
    }
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}
