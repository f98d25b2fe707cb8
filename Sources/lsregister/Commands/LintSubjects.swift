internal import ApplicationFolders
internal import BuildSettings
internal import Commands
internal import Host
internal import PropertyLists

/// What a file of a check is, by its name.
enum LintedFile {
  case propertyList, entitlements
  /// The files of a web site for Apple's systems and for Android.
  case association, assetLinks

  init(_ path: String) {
    let name = path.split(separator: "/").last ?? ""
    if name == "assetlinks.json" {
      self = .assetLinks
    } else if name == "apple-app-site-association" || name.hasSuffix(".json") {
      self = .association
    } else if name.hasSuffix(".entitlements") {
      self = .entitlements
    } else {
      self = .propertyList
    }
  }
}

/// The files that `lsregister lint` checks, with their build settings.
extension RegisterCommand {
  func subjects(
    _ paths: [String], _ request: BuildRequest, _ findings: inout LintFindings
  ) throws(CommandFailure) -> ([BuildSubject], ExitCode) {
    guard !paths.isEmpty else { return (try targets(request), .success) }
    var subjects: [BuildSubject] = []
    var expanded: [(path: String, isMatched: Bool)] = []
    for path in paths { expanded += try expand(path) }
    let code = try each(expanded) {
      (given: (path: String, isMatched: Bool)) throws(CommandFailure) in
      let path = try existing(given.path)
      if path.hasSuffix(".xcodeproj") {
        var ofProject = request
        ofProject.project = path
        subjects += try targets(ofProject)
      } else if isFolderOfSources(path) {
        subjects += try self.subjects(inTree: path, request, &findings)
      } else if let reason = reasonToSkip(path, isMatched: given.isMatched) {
        findings.add(skipping: path, reason)
      } else {
        subjects.append(try subject(ofFile: path, request))
      }
    }
    return (subjects, code)
  }

  /// The paths that a pattern matches. A path that exists is no pattern.
  private func expand(
    _ path: String
  ) throws(CommandFailure) -> [(path: String, isMatched: Bool)] {
    let absolute = FilePath.absolute(path, from: folder)
    guard !FilePath.exists(absolute), let pattern = PathPattern(absolute) else {
      return [(path, false)]
    }
    let found = pattern.matches()
    guard !found.isEmpty else {
      throw CommandFailure(.noSuchFile, "no file matches the pattern \(path)")
    }
    return found.map { ($0, true) }
  }

  /// What the file is instead of the property list of an application; nil for a file to check. Of the files that a pattern
  /// matches, those are checked that are also found in a folder.
  private func reasonToSkip(_ path: String, isMatched: Bool) -> String? {
    guard case .propertyList = LintedFile(path), (try? FolderListing(of: path)) == nil else {
      return nil
    }
    return switch PropertyListSubject(path) {
    case .application: nil
    case .unclear: isMatched ? "not the property list of an application" : nil
    case .other(let words): words
    }
  }

  private func isFolderOfSources(_ path: String) -> Bool {
    (try? FolderListing(of: path)) != nil && !path.hasSuffix(".app")
  }

  // MARK: A folder

  private func subjects(
    inTree folder: String, _ request: BuildRequest, _ findings: inout LintFindings
  ) throws(CommandFailure) -> [BuildSubject] {
    let tree = SourceTree(folder)
    for folder in tree.unsearched {
      output.complain(
        "\(folder) is not searched: the folder cannot be listed, or the tree is too large")
    }
    let projects = request.project == nil ? tree.projects : []
    var subjects: [BuildSubject] = []
    for project in projects {
      do throws(SettingsFailure) {
        subjects += try Self.targets(of: project, request)
      } catch {
        findings.add(error, in: project)
      }
    }
    let inProjects = Set(subjects.compactMap(\.propertyList))
    let others = otherConfigurations(projects, request)
    var lists = tree.bundles + tree.propertyLists
    // The folder may be a bundle with another name, or have a property list that claims nothing.
    if let own = try? PropertyListPath.find(folder), !lists.contains(own) { lists.append(own) }
    for path in lists where !inProjects.contains(path) {
      if let other = others.first(where: { $0.propertyList == path }) {
        subjects.append(other)
      } else {
        subjects.append(try looseSubject(path, request))
      }
    }
    let used = Set(subjects.compactMap(\.entitlements))
    for path in tree.entitlementsFiles where !used.contains(path) {
      let other = others.first { $0.entitlements == path }
      let settings = if let other { other.settings } else { try settings(request) }
      subjects.append(BuildSubject(name: path, propertyList: path, settings: settings))
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
}
