internal import ApplicationFolders
internal import AssociationFiles
internal import BuildSettings
internal import BusContract
internal import Commands
internal import DBus
internal import Host
internal import LaunchRules
internal import PropertyLists

/// Checks property lists and association files. Without `--registry`, this command reads them itself and needs no
/// daemon.
extension RegisterCommand {
  /// Returns `no` if a property list has an error, or, with `--strict`, a warning.
  func lint(_ paths: [String], _ invocation: RegisterInvocation) throws(CommandFailure) -> ExitCode
  {
    let options = invocation.lint
    var findings = LintFindings(folder: folder)
    let (subjects, code) = try subjects(paths, try request(invocation.build), &findings)
    var system: Registry?
    var identifiers = CheckedIdentifiers()
    let checked = try each(subjects) { subject throws(CommandFailure) in
      findings.add(subject.settings.problems)
      guard let path = subject.propertyList else {
        return findings.addWithoutPropertyList(subject, project: invocation.build.project)
      }
      if Self.isAssociationFile(path) {
        return findings.add(try reading(path).diagnostics, checking: path)
      }
      if options.showsBuildSettings {
        findings.add(used(of: subject, at: path), usedBy: path)
      }
      if options.usesRegistry {
        let twice = identifiers.twice(
          ApplicationReading(of: path, variables: subject.settings.variables).application)
        findings.add(
          try lintInRegistry(path, definitions(of: subject, at: path)) + twice, checking: path)
      } else {
        let registry = system ?? systemApplications
        system = registry
        findings.add(try lint(path, subject.settings.variables, in: registry), checking: path)
      }
    }
    findings.print(options, to: output)
    let first = code == .success ? checked : code
    return first == .success && findings.fail(isStrict: options.isStrict) ? .no : first
  }

  private func lint(
    _ path: String, _ variables: BuildVariables, in system: Registry
  ) throws(CommandFailure) -> [Diagnostic] {
    let file: String
    do throws(PropertyListPath.NotFound) {
      file = try PropertyListPath.find(path)
    } catch {
      throw CommandFailure(.no, error.description)
    }
    let lint = ApplicationLint(
      of: file, variables: variables, searchPath: environment("PATH") ?? "/usr/bin:/bin")
    guard let application = lint.reading.application, !application.isSystem else {
      return lint.diagnostics
    }
    return lint.diagnostics
      + RegistryLint(application, in: system, files: lint.files).diagnostics
  }

  private func lintInRegistry(
    _ path: String, _ definitions: [String: String]
  ) throws(CommandFailure) -> [Diagnostic] {
    (try call(Contract.check(path, definitions: definitions)).first?.asOptionsList ?? []).map {
      entry in
      func text(_ key: String) -> String { entry[key]?.asString ?? "" }
      return Diagnostic(
        Diagnostic.Severity(rawValue: text("severity")) ?? .note, file: text("file"),
        keyPath: text("key-path"), problem: text("problem"), consequence: text("consequence"))
    }
  }

  /// The system applications that are installed, and those that belong to this program.
  private var systemApplications: Registry {
    var variables: [String: String] = [:]
    for name in ["HOME", "XDG_DATA_DIRS"] { variables[name] = environment(name) }
    let name = ApplicationFolder.systemFolder
    var folders = UserFolders(environment: variables).dataDirs.map { "\($0)/\(name)" }
    let own = InstalledFolder.programs.flatMap { InstalledFolder.shared(name, with: $0) }
    if let own, !folders.contains(own) { folders.append(own) }
    return .ofSystemApplications(in: folders)
  }

  /// Whether the file is named like the association file of a web site. A property list has another name.
  private static func isAssociationFile(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name == "apple-app-site-association" || name.hasSuffix(".json")
  }

  // MARK: Subjects

  private func subjects(
    _ paths: [String], _ request: BuildRequest, _ findings: inout LintFindings
  ) throws(CommandFailure) -> ([BuildSubject], ExitCode) {
    guard !paths.isEmpty else { return (try targets(request), .success) }
    var subjects: [BuildSubject] = []
    var expanded: [String] = []
    for path in paths { expanded += try expand(path) }
    let code = try each(expanded) {
      path throws(CommandFailure) in
      let path = try existing(path)
      if path.hasSuffix(".xcodeproj") {
        var ofProject = request
        ofProject.project = path
        subjects += try targets(ofProject)
      } else if isFolderOfSources(path) {
        subjects += try self.subjects(inTree: path, request, &findings)
      } else {
        subjects.append(
          BuildSubject(name: path, propertyList: path, settings: try settings(request)))
      }
    }
    return (subjects, code)
  }

  /// The paths that a pattern matches. A path that exists is no pattern.
  private func expand(_ path: String) throws(CommandFailure) -> [String] {
    let absolute = FilePath.absolute(path, from: folder)
    guard !FilePath.exists(absolute), let pattern = PathPattern(absolute) else { return [path] }
    let found = pattern.matches()
    guard !found.isEmpty else {
      throw CommandFailure(.noSuchFile, "no file matches the pattern \(path)")
    }
    return found
  }

  private func isFolderOfSources(_ path: String) -> Bool {
    (try? FolderListing(of: path)) != nil && !path.hasSuffix(".app")
  }

  private func subjects(
    inTree folder: String, _ request: BuildRequest, _ findings: inout LintFindings
  ) throws(CommandFailure) -> [BuildSubject] {
    let tree = SourceTree(folder)
    for folder in tree.unsearched {
      output.complain(
        "\(folder) is not searched: the folder cannot be listed, or the tree is too large")
    }
    var subjects: [BuildSubject] = []
    if request.project == nil {
      for project in tree.projects {
        var ofProject = request
        ofProject.project = project
        do throws(SettingsFailure) {
          subjects += try ofProject.targets(.ofDisk).map {
            BuildSubject(name: $0.name, propertyList: $0.propertyList, settings: $0.settings)
          }
        } catch {
          findings.add(error, in: project)
        }
      }
    }
    let inProjects = Set(subjects.compactMap(\.propertyList))
    var others = otherConfigurations(request.project == nil ? tree.projects : [], request)
    var lists = tree.bundles + tree.propertyLists
    // The folder may be a bundle with another name, or have a property list that claims nothing.
    if let own = try? PropertyListPath.find(folder), !lists.contains(own) { lists.append(own) }
    for path in lists where !inProjects.contains(path) {
      if let subject = others.removeValue(forKey: path) {
        subjects.append(subject)
        continue
      }
      var ofPath = request
      let key = BuildVariableName.entitlements
      if ofPath.definitions[key] == nil, let file = SourceTree.entitlements(beside: path) {
        ofPath.definitions[key] = file
      }
      subjects.append(
        BuildSubject(name: path, propertyList: path, settings: try settings(ofPath)))
    }
    for path in tree.associationFiles {
      subjects.append(
        BuildSubject(name: path, propertyList: path, settings: try settings(request)))
    }
    guard !subjects.isEmpty || !tree.projects.isEmpty else {
      throw CommandFailure(
        .noSuchFile,
        "\(folder): no Xcode project, bundle or Info.plist of an application is in this folder")
    }
    return subjects
  }

  /// The property lists of targets in any configuration of the projects, by their paths.
  private func otherConfigurations(
    _ projects: [String], _ request: BuildRequest
  ) -> [String: BuildSubject] {
    var found: [String: BuildSubject] = [:]
    for project in projects where request.configuration == nil {
      var ofProject = request
      ofProject.project = project
      for target in ofProject.targetsOfAllConfigurations(.ofDisk) {
        guard let path = target.propertyList, found[path] == nil else { continue }
        found[path] = BuildSubject(
          name: target.name, propertyList: path, settings: target.settings)
      }
    }
    return found
  }
}
