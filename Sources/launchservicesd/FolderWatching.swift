internal import ApplicationFolders
internal import Host
internal import LaunchRules
internal import PropertyLists

// What happens in the folders of applications.

extension RegistryKeeper {
  func changed(_ change: DirectoryWatch.Change) {
    look(at: [], in: change.folders, of: change.applications)
  }

  /// The property lists that may have changed with these files and folders.
  nonisolated static func propertyLists(
    of applications: Set<String>, in folders: [ApplicationFolder], _ linked: LinkedPropertyLists,
    registered: [String], _ readings: PropertyListTable
  ) -> Set<String> {
    guard !applications.isEmpty else { return [] }
    let folders = Set(folders.map(\.path))
    var paths: Set<String> = []
    for application in applications {
      if folders.contains(parent(of: application)) {
        paths.formUnion(ApplicationFolder.propertyLists(at: application))
      }
      paths.formUnion(linked.leading(to: application))
      let places = [application] + PropertyListPath.places(in: application)
      paths.formUnion(places.filter { readings[$0] != nil })
    }
    for path in registered {
      var above = path
      while above != "/", !applications.contains(above) { above = parent(of: above) }
      if above != "/" { paths.insert(path) }
    }
    return paths
  }

  /// What cannot be watched is looked at now and then.
  func lookAtUnwatched() {
    let unwatched = watch?.unwatched ?? [:]
    for (folder, error) in unwatched.sorted(by: { $0.key < $1.key })
    where complained.insert(folder).inserted {
      journal.warning(
        "a folder cannot be watched as a whole, and is looked at every \(lookInterval) s",
        ["folder": folder, "reason": "\(error)"])
    }
    nextLook = Deadline(after: .seconds(lookInterval)) { [weak self] in
      guard let self else { return }
      if watch?.unwatched.isEmpty != true { lookAtAll() }
      lookAtUnwatched()
    }
  }

  /// The folder whose watch notices changes of a registered property list.
  nonisolated static func watchedFolder(of propertyList: String) -> String {
    parent(
      of: BundleLocation(propertyList: propertyList).layout == .loose
        ? propertyList : BundleLocation(propertyList: propertyList).folder)
  }

  private nonisolated static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
