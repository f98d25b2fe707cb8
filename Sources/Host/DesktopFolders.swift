internal import Glibc

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

  /// The paths of lists and indexes that are FIFOs: GIO waits for their writers at its first call, without end.
  /// - Parameter desktops: the names of the desktop, in lower case.
  package func fifos(of desktops: [String]) -> [String] {
    (associationFiles(of: desktops) + applications.map { $0 + "/mimeinfo.cache" }).filter {
      ((try? look(at: $0))?.st_mode ?? 0) & S_IFMT == S_IFIFO
    }
  }

  /// The paths of those entries and lists that are symbolic links, for example to a folder with the user's settings
  /// under version control.
  /// - Parameter limit: maximum number of paths.
  package func links(atMost limit: Int) -> [String] {
    var paths: [String] = []
    for folder in all + subfolders(atMost: limit) {
      for name in (try? FolderListing.prompt(of: folder))?.links ?? [] {
        guard paths.count < limit else { return paths }
        if name.hasSuffix(".desktop") || Self.isRead(name) { paths.append(folder + "/" + name) }
      }
    }
    return paths
  }

  /// The paths of the folders in the folders of desktop entries, without symbolic links. Desktop entries in them are
  /// read, too.
  /// - Parameter limit: maximum number of paths.
  package func subfolders(atMost limit: Int) -> [String] {
    var paths: [String] = []
    var level = applications
    for _ in 0..<Self.mostDepth {
      var next: [String] = []
      for folder in level {
        for name in (try? FolderListing.prompt(of: folder))?.folders.sorted() ?? []
        where !name.hasSuffix(".desktop") {
          guard paths.count < limit else { return paths }
          next.append(folder + "/" + name)
          paths.append(folder + "/" + name)
        }
      }
      level = next
    }
    return paths
  }

  /// The desktop entries of all folders.
  package struct Entries: Hashable, Sendable {
    /// The desktop file IDs, each once, in the order of the folders.
    package var identifiers: [String] = []
    /// Their paths, in the same order.
    package var paths: [String] = []
    /// Paths of entries that are not read, with the reasons.
    package var unread: [String: String] = [:]
    /// The desktop file IDs of these entries, and their paths in the same order.
    package var unreadIdentifiers: [String] = []
    package var unreadPaths: [String] = []
  }

  /// Folders in folders are part of the desktop file ID, up to this depth.
  private static let mostDepth = 4
  /// Maximum size of an entry, in bytes.
  private static let largestEntry = 1 << 20

  /// Lists the entries without reading them. A desktop file ID is left out when GIO would wait for one of its entries, such
  /// as a FIFO, or one has more than `largestEntry` bytes: GIO reads the entry of the next folder, too, when it cannot use
  /// that of the first.
  /// - Parameter silent: paths that are left out, because their file systems do not answer.
  package func entries(without silent: Set<String> = []) -> Entries {
    var entries = Entries()
    for path in silent { entries.unread[path] = "its file system does not answer" }
    var found = Found()
    for folder in applications { list(folder, "", depth: 0, &entries, &found) }
    let unread = found.unread
    let isRead = entries.identifiers.map { !unread.contains($0) }
    entries.paths = zip(entries.paths, isRead).filter(\.1).map(\.0)
    entries.identifiers = zip(entries.identifiers, isRead).filter(\.1).map(\.0)
    return entries
  }

  /// Desktop file IDs.
  private struct Found {
    var seen: Set<String> = []
    var unread: Set<String> = []
  }

  private func list(
    _ folder: String, _ prefix: String, depth: Int, _ entries: inout Entries,
    _ found: inout Found
  ) {
    for name in (try? FolderListing(of: folder))?.names ?? [] {
      let path = folder + "/" + name
      guard name.hasSuffix(".desktop") else {
        if depth < Self.mostDepth, FileKind(at: Array(path.utf8)) == .folder {
          list(path, prefix + name + "-", depth: depth + 1, &entries, &found)
        }
        continue
      }
      // The first folder with an entry decides.
      let isFirst = found.seen.insert(prefix + name).inserted
      defer {
        if entries.unread[path] != nil, found.unread.insert(prefix + name).inserted {
          entries.unreadIdentifiers.append(prefix + name)
          entries.unreadPaths.append(path)
        }
      }
      guard entries.unread[path] == nil else { continue }
      switch FileKind(at: Array(path.utf8)) {
      case .file:
        if let stamp = try? FileStamp(path: path), stamp.size > Self.largestEntry {
          entries.unread[path] = "it has more than \(Self.largestEntry) bytes"
        } else if isFirst {
          entries.identifiers.append(prefix + name)
          entries.paths.append(path)
        }
      case .special: entries.unread[path] = "it is no regular file"
      case .folder, .unreachable: break
      }
    }
  }

  /// Whether a change of the file may change which applications handle a type.
  package static func isRead(_ name: String) -> Bool {
    name.hasSuffix("mimeapps.list") || name == "defaults.list" || name == "mimeinfo.cache"
  }
}
