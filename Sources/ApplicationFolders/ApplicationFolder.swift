package import Host

/// A folder of applications: bundles `NAME.app` and loose property lists `NAME.plist`.
package struct ApplicationFolder: Hashable, Sendable {
  /// Without repeated or trailing slashes, as changes of the folder are reported.
  package let path: String
  /// Its applications may claim reserved schemes (R2.8).
  package let isSystem: Bool

  /// - Parameter path: absolute.
  package init(_ path: String, isSystem: Bool = false) {
    self.path = "/" + path.split(separator: "/").joined(separator: "/")
    self.isSystem = isSystem
  }

  /// The path of system applications below each folder of `XDG_DATA_DIRS`.
  package static let systemFolder = "launch-services/System"

  /// The property list lies where a system application would be installed. Good for advice only:
  /// whether it is one depends on where the daemon looks.
  package static func isSystemPlace(_ propertyList: String) -> Bool {
    propertyList.contains("/" + systemFolder + "/")
  }

  /// What lies in a folder of applications.
  package struct Contents: Sendable {
    /// In no order.
    package var propertyLists: [String] = []
    /// Those of them that are symbolic links.
    package var links: [String] = []
    /// Applications that cannot be used, because their names are not UTF-8.
    package var unusable: [String] = []

    package init(propertyLists: [String] = [], links: [String] = [], unusable: [String] = []) {
      self.propertyLists = propertyLists
      self.links = links
      self.unusable = unusable
    }
  }

  /// The property lists in it; none when the folder does not exist.
  package func contents() throws(FileError) -> Contents {
    do throws(FileError) {
      let listing = try FolderListing(of: path, isSorted: false)
      return Contents(
        propertyLists: listing.names.flatMap { Self.propertyLists(at: path + "/" + $0) },
        links: listing.links.filter { $0.hasSuffix(".plist") }.map { path + "/" + $0 },
        unusable: listing.unusable.filter { $0.hasSuffix(".plist") || $0.hasSuffix(".app") }
          .map { path + "/" + $0 })
    } catch  where error.errno == .noSuchFile {
      return Contents()
    }
  }

  /// The property list of one `NAME.app` or `NAME.plist`; empty for anything else.
  package static func propertyLists(at path: String) -> [String] {
    if path.hasSuffix(".plist") { return [path] }
    guard path.hasSuffix(".app") else { return [] }
    return PropertyListPath.places(in: path).first { FileIdentity(path: $0) != nil }.map { [$0] }
      ?? []
  }
}
