internal import ApplicationFolders
internal import Host

/// Searches the file system for bundles.
enum BundleSearch {
  private static let most = 10_000

  /// The bundles at a path, at most 10,000, sorted.
  /// - Parameter path: absolute path of a property list, of a bundle, or of a folder with bundles.
  static func bundles(at path: String, _ search: MacInvocation.Search) -> [String] {
    if !isFolder(path) || isBundle(path) { return [path] }
    var found: [String] = []
    var seen: Set<FileIdentity> = []
    look(in: path, search, &seen, &found)
    return found
  }

  /// - Parameter seen: the visited folders, because symbolic links may form a cycle.
  private static func look(
    in folder: String, _ search: MacInvocation.Search, _ seen: inout Set<FileIdentity>,
    _ found: inout [String]
  ) {
    guard let listing = try? FolderListing(of: folder), let identity = FileIdentity(path: folder),
      seen.insert(identity).inserted
    else { return }
    for name in listing.names {
      if found.count == most { return }
      let path = folder + "/" + name
      let isBundle = name.hasSuffix(".app") && isBundle(path)
      if isBundle { found.append(path) }
      let isEntered =
        switch search {
        case .folder: false
        case .recursive: !isBundle && !name.hasPrefix(".")
        case .everywhere: true
        }
      if isEntered { look(in: path, search, &seen, &found) }
    }
  }

  private static func isFolder(_ path: String) -> Bool { (try? FolderListing(of: path)) != nil }

  private static func isBundle(_ path: String) -> Bool {
    PropertyListPath.places(in: path).contains { FileIdentity(path: $0) != nil }
  }
}
