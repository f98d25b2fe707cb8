internal import Host
internal import LaunchRules
internal import PropertyLists

/// Reports possible changes of applications in the watched folders. Folders that cannot be watched are
/// polled.
final class FolderMonitor {
  enum Event {
    /// Entries of watched folders were added, changed or removed.
    case changed(DirectoryWatch.Change)
    /// Applications in folders that cannot be watched may have changed.
    case unknown
  }

  private let lookInterval: Int
  private let journal: Journal
  private var watch: DirectoryWatch?
  private var nextLook: Deadline?
  /// Paths with a logged warning. Each path is logged once.
  private var warned: Set<String> = []

  var onEvent: ((Event) -> Void)?

  /// - Parameter lookInterval: polling interval for folders that cannot be watched, in seconds.
  init(lookInterval: Int, _ journal: Journal) {
    self.lookInterval = lookInterval
    self.journal = journal
  }

  func start(_ folders: [String]) {
    do throws(Errno) {
      watch = try DirectoryWatch(folders: folders) { [weak self] in
        self?.onEvent?(.changed($0))
      }
    } catch {
      journal.warning(
        "the application folders cannot be watched and are checked every \(lookInterval) s",
        ["reason": "\(error)"])
    }
  }

  func stop() {
    watch = nil
    nextLook = nil
  }

  /// Watches the folder in which changes of the property list become visible.
  func watch(folderOf propertyList: String) {
    watch?.watch(Self.watchedFolder(of: propertyList))
  }

  /// Property lists that are open for writing.
  var pathsBeingWritten: Set<String> { watch?.pathsBeingWritten ?? [] }

  /// Starts to report `unknown` at intervals while there are folders that cannot be watched.
  func startLooking() {
    let unwatched = watch?.unwatched ?? [:]
    for (folder, error) in unwatched.sorted(by: { $0.key < $1.key })
    where warned.insert(folder).inserted {
      journal.warning(
        "a folder cannot be watched completely and is checked every \(lookInterval) s",
        ["folder": folder, "reason": "\(error)"])
    }
    nextLook = Deadline(after: .seconds(lookInterval)) { [weak self] in
      guard let self else { return }
      if watch?.unwatched.isEmpty != true { onEvent?(.unknown) }
      startLooking()
    }
  }

  func reportUnusable(_ paths: [String]) {
    for path in paths where warned.insert(path).inserted {
      journal.warning(
        "ignored an application whose name is not UTF-8: rename it", ["path": path])
    }
  }

  /// The folder in which changes of the property list become visible.
  nonisolated static func watchedFolder(of propertyList: String) -> String {
    let location = BundleLocation(propertyList: propertyList)
    return (location.layout == .loose ? propertyList : location.folder).parentFolder
  }
}

extension String {
  nonisolated var parentFolder: String {
    guard let slash = lastIndex(of: "/"), slash > startIndex else { return "/" }
    return String(self[..<slash])
  }
}
