internal import Commands
internal import FoundationEssentials

/// The property lists of applications below a path.
struct SourceTree {
  /// Absolute paths, sorted.
  let propertyLists: [String]

  /// Maximum number of files and folders that are examined.
  private static let most = 200_000
  private static let skipped: Set<String> = [
    "node_modules", "Pods", "Carthage", "DerivedData", "build", "vendor",
  ]

  /// - Parameter path: an absolute path of a property list, a bundle or a folder.
  init(_ path: String) {
    guard ScenarioFiles.isFolder(path) else {
      propertyLists = [path]
      return
    }
    if path.hasSuffix(".app") {
      propertyLists = ["Contents/Info.plist", "Info.plist"].map { "\(path)/\($0)" }
        .filter { FilePath.exists($0) }.prefix(1).map(\.self)
      return
    }
    propertyLists = Self.search(path)
  }

  private static func search(_ root: String) -> [String] {
    var found: [String] = []
    var open = [root]
    var seen = 0
    while let folder = open.popLast(), seen < most {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      seen += names.count
      for name in names where !name.hasPrefix(".") && !skipped.contains(name) {
        let path = folder + "/" + name
        if ScenarioFiles.isFolder(path) {
          let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
          if !isLink { open.append(path) }
        } else if name.hasSuffix(".plist"), name.lowercased().contains("info") {
          found.append(path)
        }
      }
    }
    return found.sorted()
  }
}
