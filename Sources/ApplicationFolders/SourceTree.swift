internal import Glibc
internal import Host
internal import PropertyLists

/// What a folder with sources contains: projects, bundles, and property lists of applications.
package struct SourceTree {
  /// The absolute paths of folders `NAME.xcodeproj`.
  package private(set) var projects: [String] = []
  /// The absolute paths of folders `NAME.app`.
  package private(set) var bundles: [String] = []
  /// The absolute paths of property lists with any name that declare an application, and of files `Info.plist`,
  /// `NAME-Info.plist` and the like that are no property list.
  package private(set) var propertyLists: [String] = []
  /// The absolute paths of files `NAME.entitlements`.
  package private(set) var entitlementsFiles: [String] = []
  /// The absolute paths of files `apple-app-site-association` and `assetlinks.json`.
  package private(set) var associationFiles: [String] = []
  /// Folders that were not searched, because the tree is too large or too deep.
  package private(set) var unsearched: [String] = []
  private var namesSeen = 0

  private static let deepest = 24
  private static let mostNames = 500_000
  private static let mostNamesAround = 10_000
  /// Folders of other people's sources and of products.
  private static let skipped: Set = [
    "node_modules", "Pods", "Carthage", "DerivedData", "build", "vendor", "SourcePackages",
  ]

  private static let associationNames: Set = [
    "apple-app-site-association", "apple-app-site-association.json", "assetlinks.json",
  ]

  /// - Parameter folder: an absolute path.
  package init(_ folder: String) { search(folder, depth: 0) }

  private mutating func search(_ folder: String, depth: Int) {
    guard depth < Self.deepest, namesSeen < Self.mostNames,
      let listing = try? FolderListing(of: folder)
    else {
      unsearched.append(folder)
      return
    }
    namesSeen += listing.names.count
    for name in listing.names
    where (!name.hasPrefix(".") || name == ".well-known") && !listing.links.contains(name) {
      let path = folder + "/" + name
      if name.hasSuffix(".xcodeproj") {
        if FileIdentity(path: path + "/project.pbxproj") != nil { projects.append(path) }
      } else if name.hasSuffix(".app"), Self.isFolder(path) {
        bundles.append(path)
      } else if name.hasSuffix(".plist"), !Self.isFolder(path) {
        if PropertyListSubject(path) == .application { propertyLists.append(path) }
      } else if name.hasSuffix(".entitlements"), !Self.isFolder(path) {
        entitlementsFiles.append(path)
      } else if Self.associationNames.contains(name), !Self.isFolder(path) {
        associationFiles.append(path)
      } else if !Self.skipped.contains(name), Self.isFolder(path) {
        search(path, depth: depth + 1)
      }
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The projects in the folders around a file, the nearest first, up to the folder of its repository.
  /// - Parameter file: an absolute path.
  package static func projects(around file: String) -> [String] {
    var found: [String] = []
    var folders = file.split(separator: "/").map(String.init).dropLast()
    for _ in 0..<deepest {
      let folder = "/" + folders.joined(separator: "/")
      for name in (try? FolderListing(of: folder, atMost: mostNamesAround))?.names.sorted() ?? []
      where name.hasSuffix(".xcodeproj") {
        let path = folder == "/" ? "/" + name : "\(folder)/\(name)"
        if FileIdentity(path: path + "/project.pbxproj") != nil { found.append(path) }
      }
      guard !folders.isEmpty, FileIdentity(path: folder + "/.git") == nil else { break }
      folders.removeLast()
    }
    return found
  }

  /// The absolute paths of the entitlements beside a property list of a source tree, sorted.
  package static func entitlements(beside propertyList: String) -> [String] {
    let folder = propertyList.lastIndex(of: "/").map { String(propertyList[..<$0]) } ?? ""
    return ((try? FolderListing(of: folder))?.names ?? []).filter { $0.hasSuffix(".entitlements") }
      .sorted().map { "\(folder)/\($0)" }
  }
}
