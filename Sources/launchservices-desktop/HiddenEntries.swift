internal import Glibc
internal import Host
internal import LaunchRules

/// Hides desktop entries from GIO in this process, which would wait for a FIFO, and read a large file again for each type.
///
/// GIO reads the first entry with a desktop file ID, and the next one only when it cannot use the first. So a folder before all others has an entry for each
/// hidden one, which says that it is hidden. Use this before the first call of GIO.
final class HiddenEntries {
  private let folder: String
  /// Tells other processes that the folder is in use.
  private let lock: FolderLock

  /// Nil when there is nothing to hide, or the folder cannot be made.
  /// - Parameter identifiers: desktop file IDs, of which the first `most` are hidden.
  init?(_ identifiers: [String], _ folders: UserFolders) {
    let others = ([folders.dataHome] + folders.dataDirs)
    guard !identifiers.isEmpty, others.allSatisfy({ !$0.contains(":") }) else { return nil }
    let parent = folders.runtimeDir ?? "/tmp"
    Self.removeUnused(in: parent)
    // A process that removes unused folders may come before the lock.
    var made: (folder: String, lock: FolderLock)?
    for _ in 0..<Self.mostTries where made == nil { made = Self.makeFolder(in: parent) }
    guard let made else { return nil }
    (folder, lock) = made
    for identifier in identifiers.prefix(Self.most) {
      let file = "\(folder)/applications/\(identifier)"
      _ = try? AtomicFile.write(Self.contents, to: file, surviving: .processes)
    }
    unsafe setenv("XDG_DATA_HOME", folder, 1)
    unsafe setenv("XDG_DATA_DIRS", others.joined(separator: ":"), 1)
  }

  isolated deinit {
    Self.remove(folder)
    withExtendedLifetime(lock) {}
  }

  private static let prefix = "launch-services-hidden-"
  private static let most = 1000
  private static let mostTries = 10

  private static func makeFolder(in parent: String) -> (folder: String, lock: FolderLock)? {
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { return nil }
    let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard let lock = (try? FolderLock.take(folder)) ?? nil, lock.isInPlace, isOwnFolder(folder)
    else { return nil }
    return (folder, lock)
  }

  /// Removes the folders of processes that were killed.
  static func removeUnused(in parent: String) {
    for name in (try? FolderListing(of: parent, isSorted: false))?.names ?? []
    where name.hasPrefix(prefix) {
      let folder = "\(parent)/\(name)"
      guard isOwnFolder(folder), let lock = (try? FolderLock.take(folder)) ?? nil else { continue }
      remove(folder)
      withExtendedLifetime(lock) {}
    }
  }

  /// Whether this is a folder of this user, and no symbolic link.
  private static func isOwnFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == geteuid()
  }

  /// Removes what this program writes there, and nothing else.
  private static func remove(_ folder: String) {
    let entries = folder + "/applications"
    for name in (try? FolderListing(of: entries, isSorted: false))?.names ?? []
    where name.hasSuffix(".desktop") { unsafe unlink("\(entries)/\(name)") }
    unsafe rmdir(entries)
    unsafe unlink(folder + "/lock")
    unsafe rmdir(folder)
  }

  /// The key of our own entries, because GIO gives also a hidden entry that a list of defaults names.
  private static let contents = Array(
    "[Desktop Entry]\nType=Application\nName=Hidden\nHidden=true\n\(DesktopBridge.mark)=hidden\n"
      .utf8)
}
