internal import Host

/// Finds the property list for a path of the user: a bundle, or the property list itself.
package enum PropertyListPath {
  package struct NotFound: Error, Hashable, CustomStringConvertible {
    package let description: String
    /// Whether the path does not exist.
    package let isMissing: Bool

    package static func unanswered(_ path: String) -> Self {
      Self(
        description:
          "\(path): its file system does not answer; mount it again, or wait until it answers",
        isMissing: false)
    }
  }

  /// - Parameter path: an absolute path; a trailing `/` is ignored.
  package static func find(_ path: String) throws(NotFound) -> String {
    guard path.hasPrefix("/") else {
      throw NotFound(description: "\(path): the path must be absolute", isMissing: false)
    }
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard FileIdentity(path: path) != nil else {
      throw NotFound(description: "\(path): there is no such file or folder", isMissing: true)
    }
    guard (try? FolderListing(of: path)) != nil else { return path }
    for place in places(in: path) {
      do throws(FileError) {
        _ = try FileStamp(path: place)
        return place
      } catch  where error.errno == .noSuchFile || error.errno == .notAFolder {
        continue
      } catch {
        throw NotFound(description: error.description, isMissing: false)
      }
    }
    throw NotFound(
      description:
        "\(path): neither Info.plist nor Contents/Info.plist is in this folder; name a bundle"
        + " NAME.app or a property list",
      isMissing: false)
  }

  /// The possible paths of a bundle's property list: macOS layout, then iOS layout.
  package static func places(in bundle: String) -> [String] {
    [bundle + "/Contents/Info.plist", bundle + "/Info.plist"]
  }
}
