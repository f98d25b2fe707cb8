internal import ApplicationFolders
internal import Host
internal import LaunchRules

/// One round of reading: finds the property lists that may have changed.
nonisolated struct LoadRound: Sendable {
  struct Found: Sendable {
    /// Property lists without duplicates, including removed ones.
    var paths: [String] = []
    /// The targets of symbolic links among the paths.
    var targets: [String: String] = [:]
    /// Applications with names that are not UTF-8.
    var unusable: [String] = []
  }

  var due: ReadingSchedule.Round
  let folders: [ApplicationFolder]
  let links: SymbolicLinkMonitor
  /// The property lists that are registered by their paths.
  let registered: [String]

  /// Replaces the changed applications by the paths of their property lists.
  mutating func resolveApplications(_ known: PropertyListTable) {
    due.paths.formUnion(propertyLists(of: due.applications, known))
    due.applications = []
  }

  /// Whether `find` needs the table of known property lists.
  var needsKnown: Bool { !due.folders.isEmpty || !due.applications.isEmpty }

  /// Lists the folders of the round and returns the property lists to be read.
  func find(_ known: PropertyListTable, _ journal: Journal) async -> Found {
    var found = Found()
    let changed = due.paths.union(propertyLists(of: due.applications, known))
    var links = changed
    for folder in folders where due.folders.contains(folder.path) {
      do throws(FileError) {
        let contents = try folder.contents()
        found.paths += contents.propertyLists
        found.unusable += contents.unusable
        links.formUnion(contents.links)
      } catch {
        journal.warning("an application folder cannot be read", ["reason": "\(error)"])
      }
    }
    found.targets = await SymbolicLinkMonitor.targets(of: links)
    let read = readPaths(known)
    if !read.isEmpty || !changed.isEmpty {
      found.paths = Array(changed.union(found.paths).union(read))
    }
    return found
  }

  /// The property lists that changes of these files and folders may affect.
  private func propertyLists(
    of applications: Set<String>, _ known: PropertyListTable
  ) -> Set<String> {
    guard !applications.isEmpty else { return [] }
    let folders = Set(folders.map(\.path))
    var paths: Set<String> = []
    for application in applications {
      if folders.contains(application.parentFolder) {
        paths.formUnion(ApplicationFolder.propertyLists(at: application))
      }
      paths.formUnion(links.leading(to: application))
      let places = [application] + PropertyListPath.places(in: application)
      paths.formUnion(places.filter { known[$0] != nil })
    }
    for path in registered {
      var above = path
      while above != "/", !applications.contains(above) { above = above.parentFolder }
      if above != "/" { paths.insert(path) }
    }
    return paths
  }

  /// The known property lists in the folders of this round.
  private func readPaths(_ known: PropertyListTable) -> [String] {
    guard !due.folders.isEmpty else { return [] }
    let prefixes = due.folders.map { $0 + "/" }
    return known.records.map(\.propertyList).filter { path in
      prefixes.contains { path.hasPrefix($0) }
    }
  }

  /// The reading orders for these paths.
  static func orders(
    for paths: [String], in folders: [ApplicationFolder],
    _ registrations: [RegistryState.Registration]
  ) -> [PropertyListOrder] {
    let registrations = Dictionary(registrations.map { ($0.path, $0) }) { $1 }
    let systemFolders = folders.filter(\.isSystem).map { $0.path + "/" }
    return paths.map { path in
      let registration = registrations[path]
      return PropertyListOrder(
        path: path, isSystem: systemFolders.contains { path.hasPrefix($0) },
        definitions: registration?.definitions ?? [:], registeredAt: registration?.registeredAt)
    }
  }
}

/// Whether no directory entry exists at the path. A symbolic link to itself counts as an entry, and so does a path that
/// does not answer.
nonisolated func isMissing(_ path: String) -> Bool {
  do throws(Errno) {
    try PromptFile.with(path) { _ throws(Errno) in }
    return false
  } catch {
    return error == .noSuchFile || error == .notAFolder
  }
}
