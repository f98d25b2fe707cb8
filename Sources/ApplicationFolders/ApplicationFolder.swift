package import Host

/// A folder of applications: bundles `NAME.app` and loose property lists `NAME.plist`.
package struct ApplicationFolder: Hashable, Sendable {
  /// The time limit for a folder or an application on a file system that does not answer.
  private static let patience = Duration.seconds(2)

  /// Without repeated or trailing slashes, as in reports of changes.
  package let path: String
  /// Whether its applications may claim reserved schemes (R2.8).
  package let isSystem: Bool

  /// - Parameter path: an absolute path.
  package init(_ path: String, isSystem: Bool = false) {
    self.path = "/" + path.split(separator: "/").joined(separator: "/")
    self.isSystem = isSystem
  }

  /// The path of system applications below each folder of `XDG_DATA_DIRS`.
  package static let systemFolder = "launch-services/System"

  /// Whether the property list is in a folder of system applications by its path. For advice only: the
  /// folders of the daemon determine whether the application is a system application.
  package static func isSystemPlace(_ propertyList: String) -> Bool {
    propertyList.contains("/" + systemFolder + "/")
  }

  /// The contents of a folder of applications.
  package struct Contents: Sendable {
    /// Unsorted.
    package var propertyLists: [String] = []
    /// The property lists that are symbolic links.
    package var links: [String] = []
    /// Applications that cannot be registered, because their names are not UTF-8.
    package var unusable: [String] = []

    package init(propertyLists: [String] = [], links: [String] = [], unusable: [String] = []) {
      self.propertyLists = propertyLists
      self.links = links
      self.unusable = unusable
    }
  }

  /// The property lists in the folder; empty when the folder does not exist.
  package func contents() throws(FileError) -> Contents {
    do throws(FileError) {
      let listing = try FolderListing.prompt(of: path, patience: Self.patience)
      return Contents(
        propertyLists: listing.names.flatMap { Self.propertyLists(at: path + "/" + $0) },
        links: listing.links.filter { $0.hasSuffix(".plist") }.map { path + "/" + $0 },
        unusable: listing.unusable.filter { $0.hasSuffix(".plist") || $0.hasSuffix(".app") }
          .map { path + "/" + $0 })
    } catch  where error.errno == .noSuchFile {
      return Contents()
    }
  }

  /// The property list of one `NAME.app` or `NAME.plist`; empty for other names.
  package static func propertyLists(at path: String) -> [String] {
    if path.hasSuffix(".plist") { return [path] }
    guard path.hasSuffix(".app") else { return [] }
    return PropertyListPath.places(in: path).first { PromptFile.exists($0, patience: patience) }
      .map { [$0] } ?? []
  }
}
