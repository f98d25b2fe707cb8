internal import Glibc
internal import Host
internal import PropertyLists

/// What a folder with sources contains: projects, bundles, and property lists of applications.
package struct SourceTree {
  /// The absolute paths of folders `NAME.xcodeproj`.
  package private(set) var projects: [String] = []
  /// The absolute paths of folders `NAME.app`.
  package private(set) var bundles: [String] = []
  /// The absolute paths of files `Info.plist`, `NAME-Info.plist` and the like that declare an application.
  package private(set) var propertyLists: [String] = []
  /// Folders that were not searched, because the tree is too large or too deep.
  package private(set) var unsearched: [String] = []
  private var namesSeen = 0

  private static let deepest = 24
  private static let mostNames = 500_000
  /// Folders of other people's sources and of products.
  private static let skipped: Set = [
    "node_modules", "Pods", "Carthage", "DerivedData", "build", "vendor", "SourcePackages",
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
    for name in listing.names where !name.hasPrefix(".") && !listing.links.contains(name) {
      let path = folder + "/" + name
      if name.hasSuffix(".xcodeproj") {
        if FileIdentity(path: path + "/project.pbxproj") != nil { projects.append(path) }
      } else if name.hasSuffix(".app"), Self.isFolder(path) {
        bundles.append(path)
      } else if name.hasSuffix("Info.plist") {
        if PropertyListKind.isOfApplication(path) { propertyLists.append(path) }
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

  private enum Key: String, CodingKey {
    case types = "CFBundleURLTypes"
    case queries = "LSApplicationQueriesSchemes"
    case packageType = "CFBundlePackageType"
    case appExtension = "NSExtension"
    case scenes = "UIApplicationSceneManifest"
    case iPhone = "LSRequiresIPhoneOS"
  }

  init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: Key.self)
    let type = (try? keys.decodeIfPresent(String.self, forKey: .packageType)) ?? nil
    declaresApplication =
      !keys.contains(.appExtension)
      && ([Key.types, .queries, .scenes, .iPhone].contains { keys.contains($0) } || type == "APPL")
  }

  /// Also true for a file that cannot be decoded but mentions schemes, so that its mistake is reported.
  static func isOfApplication(_ path: String) -> Bool {
    guard let bytes = try? RegularFile.read(path, atMost: InfoPropertyList.largestSize).bytes else {
      return true
    }
    do throws(AdmittedPropertyList.Unreadable) {
      return try AdmittedPropertyList.decode(Self.self, from: bytes).declaresApplication
    } catch {
      return ["CFBundleURLTypes", "LSApplicationQueriesSchemes"].contains {
        bytes.firstRange(of: $0.utf8) != nil
      }
    }
  }
}
