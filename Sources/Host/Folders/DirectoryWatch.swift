internal import Events

/// Reports added, changed and removed applications in some folders.
///
/// Watches each folder, its `NAME.app` folders, and their `Contents`. A folder and its parents may be missing,
/// removed, created again or replaced; each such change is reported as a change of the whole folder.
@MainActor package final class DirectoryWatch {
  /// The possible changes since the last report.
  package struct Change: Hashable, Sendable {
    /// The watched folders to list again; all of them after events were lost.
    package var folders: Set<String> = []
    /// Paths of single applications, `NAME.app`, `NAME.plist` or `NAME.desktop` in a watched folder; and of
    /// the files there that associate types with desktop applications.
    package var applications: Set<String> = []

    var isEmpty: Bool { folders.isEmpty && applications.isEmpty }
  }

  /// The existing folders that cannot be watched, and why; their changes go unnoticed.
  package var unwatched: [String: FileError] { tree.unwatched }

  private var tree: WatchedTree
  private let onChange: @MainActor (Change) -> Void
  private var pending = Change()
  private var debounce = ChangeDebounce()
  private var deadline: Deadline?

  /// Watches `folders`, which are absolute paths. Calls `onChange` with the delay of `ChangeDebounce`, but
  /// not for the initial content.
  ///
  /// Throws when inotify is not available.
  /// - Parameters:
  ///   - sharesInstance: false for an inotify instance of its own; see `FolderEvents`.
  ///   - seesSubfolders: whether a folder that appears in one of the folders, or is removed from it, is a change of the
  ///     latter.
  package init(
    folders: [String], sharesInstance: Bool = true, seesSubfolders: Bool = false,
    onChange: @escaping @MainActor (Change) -> Void
  ) throws(Errno) {
    tree = try WatchedTree(sharesInstance: sharesInstance, seesSubfolders: seesSubfolders)
    self.onChange = onChange
    tree.onPending { [weak self] in self?.drain() }
    for folder in folders { watch(folder) }
  }

  /// Watches one more folder.
  package func watch(_ folder: String) { tree.watch(folder) }

  /// The property lists that are being written now.
  ///
  /// Keep their last valid version; `onChange` is called again when they are complete. Read this property after
  /// reading an invalid file, not before.
  package var pathsBeingWritten: Set<String> {
    drain()
    return tree.beingWritten.paths()
  }

  private func drain() {
    let change = tree.processEvents()
    guard !change.isEmpty else { return }
    pending.folders.formUnion(change.folders)
    pending.applications.formUnion(change.applications)
    let wait = debounce.changed(at: Time.monotonicMicroseconds())
    deadline = Deadline(after: .microseconds(wait)) { [weak self] in
      self?.tell()
    }
  }

  private func tell() {
    let change = pending
    pending = Change()
    debounce.reported()
    onChange(change)
  }
}
