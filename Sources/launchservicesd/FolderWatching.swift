internal import ApplicationFolders
internal import Host
internal import LaunchRules
internal import PropertyLists

// What happens in the folders of applications.

extension RegistryKeeper {
  func changed(_ change: DirectoryWatch.Change) {
    var paths: Set<String> = []
    for application in change.applications {
      let folder = Self.parent(of: application)
      if folders.contains(where: { $0.path == folder }) {
        paths.formUnion(ApplicationFolder.propertyLists(at: application))
      }
      paths.formUnion(linked.leading(to: application))
      let places = [application] + PropertyListPath.places(in: application)
      paths.formUnion(places.filter { readings[$0] != nil })
      paths.formUnion(
        registeredPaths.filter { $0 == application || $0.hasPrefix(application + "/") })
    }
    look(at: paths, in: change.folders)
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
  static func watchedFolder(of propertyList: String) -> String {
    parent(
      of: BundleLocation(propertyList: propertyList).layout == .loose
        ? propertyList : BundleLocation(propertyList: propertyList).folder)
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
