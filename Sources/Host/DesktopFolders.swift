/// The folders from which a desktop reads entries and default applications.
package struct DesktopFolders: Hashable, Sendable {
  /// With desktop entries.
  package let applications: [String]
  /// With `mimeapps.list` files besides those in `applications`.
  package let configurations: [String]

  package init(_ folders: UserFolders) {
    applications = ([folders.dataHome] + folders.dataDirs).map { $0 + "/applications" }
    configurations = [folders.configHome] + folders.configDirs
  }

  package var all: [String] { configurations + applications }

  /// The files that associate types with applications; they need not exist.
  /// - Parameter desktops: the names of the desktop, in lower case.
  package func associationFiles(of desktops: [String]) -> [String] {
    let names = desktops.map { "\($0)-mimeapps.list" } + ["mimeapps.list"]
    return all.flatMap { folder in names.map { "\(folder)/\($0)" } }
      + applications.map { $0 + "/defaults.list" }
  }

  /// Whether a change of the file may change which applications handle a type.
  package static func isRead(_ name: String) -> Bool {
    name.hasSuffix("mimeapps.list") || name == "defaults.list" || name == "mimeinfo.cache"
  }
}
