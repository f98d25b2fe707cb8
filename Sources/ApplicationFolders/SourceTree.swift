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
  /// The absolute paths of files `apple-app-site-association`.
  package private(set) var associationFiles: [String] = []
  /// Folders that were not searched, because the tree is too large or too deep.
  package private(set) var unsearched: [String] = []
  private var namesSeen = 0

  private static let deepest = 24
  private static let mostNames = 500_000
  /// Folders of other people's sources and of products.
  private static let skipped: Set = [
    "node_modules", "Pods", "Carthage", "DerivedData", "build", "vendor", "SourcePackages",
  ]

  private static let associationNames: Set = [
    "apple-app-site-association", "apple-app-site-association.json",
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
        if PropertyListKind.isOfApplication(path, named: name) { propertyLists.append(path) }
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

  /// The entitlements beside a property list of a source tree, if there is exactly one file.
  package static func entitlements(beside propertyList: String) -> String? {
    let folder = propertyList.lastIndex(of: "/").map { String(propertyList[..<$0]) } ?? ""
    let names = (try? FolderListing(of: folder))?.names.filter { $0.hasSuffix(".entitlements") }
    guard let names, names.count == 1 else { return nil }
    return folder + "/" + names[0]
  }
}

/// What a property list is about.
private struct PropertyListKind: Decodable {
  private let declaresApplication: Bool
  /// Whether the application has an identity, so that the property list is more than a part of another one.
  private let hasIdentity: Bool

  private enum Key: String, CodingKey {
    case identifier = "CFBundleIdentifier"
    case types = "CFBundleURLTypes"
    case queries = "LSApplicationQueriesSchemes"
    case packageType = "CFBundlePackageType"
    case appExtension = "NSExtension"
    case scenes = "UIApplicationSceneManifest"
    case iPhone = "LSRequiresIPhoneOS"
  }

  init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    hasIdentity = keys.contains(.identifier)
    let type = (try? keys.decodeIfPresent(String.self, forKey: .packageType)) ?? nil
    declaresApplication =
      !keys.contains(.appExtension)
      && ([Key.types, .queries, .scenes, .iPhone].contains { keys.contains($0) } || type == "APPL")
  }

  /// Also true for a file that cannot be decoded, so that its mistake is reported: a file with the name of an
  /// information property list, or one that mentions schemes.
  static func isOfApplication(_ path: String, named name: String) -> Bool {
    let isInfo = isInformation(name)
    guard let bytes = try? RegularFile.read(path, atMost: InfoPropertyList.largestSize).bytes else {
      return isInfo
    }
    do throws(AdmittedPropertyList.Unreadable) {
      let kind = try AdmittedPropertyList.decode(Self.self, from: bytes)
      return kind.declaresApplication && (isInfo || kind.hasIdentity)
    } catch {
      return isInfo
        || ["CFBundleURLTypes", "LSApplicationQueriesSchemes"].contains {
          bytes.firstRange(of: $0.utf8) != nil
        }
    }
  }

  /// Whether a name is that of an information property list: `Info.plist`, `App-Info.plist`, `Info-Debug.plist`.
  private static func isInformation(_ name: String) -> Bool {
    // The settings of a library.
    guard !name.hasPrefix("GoogleService-Info") else { return false }
    return name.hasSuffix("Info.plist") || name.hasPrefix("Info-")
  }
}
