internal import Events

/// Tells when applications in some folders come, change or go.
///
/// Watched are each folder, the `NAME.app` folders in it, and `Contents` in those. A folder may be
/// missing, removed, made again or replaced, and so may the folders above it; after each such turn
/// it is reported as a whole.
@MainActor package final class DirectoryWatch {
  /// What may have changed since the last time.
  package struct Change: Hashable, Sendable {
    /// Watched folders to be listed anew. All of them after events were lost.
    package var folders: Set<String> = []
    /// Paths of single applications, `NAME.app`, `NAME.plist` or `NAME.desktop` in a watched folder.
    package var applications: Set<String> = []

    var isEmpty: Bool { folders.isEmpty && applications.isEmpty }
  }

  /// Existing folders that are not watched, and why; changes in them go unnoticed.
  package var unwatched: [String: FileError] { tree.unwatched }

  private var tree: WatchedTree
  private var events: DescriptorWatch?
  private let onChange: @MainActor (Change) -> Void
  private var pending = Change()
  private var firstPending: UInt64 = 0
  private var deadline: Deadline?

  /// In microseconds.
  private static let quiet: UInt64 = 50_000
  private static let patience: UInt64 = 250_000

  /// `folders` are absolute paths. `onChange` is called when nothing more has happened for 50
  /// milliseconds, and at the latest 250 after the first event; never for what was there before.
  ///
  /// Throws when Linux gives no queue for events.
  package init(
    folders: [String], onChange: @escaping @MainActor (Change) -> Void
  ) throws(Errno) {
    tree = try WatchedTree()
    self.onChange = onChange
    events = DescriptorWatch(closing: try tree.duplicateDescriptor().release()) { [weak self] in
      self?.drain()
    }
    for folder in folders { watch(folder) }
  }

  /// Watches one more folder.
  package func watch(_ folder: String) { tree.watch(folder) }

  /// The property lists somebody is in the middle of writing, up to this moment.
  ///
  /// Keep the last good version of these; `onChange` comes again when they are complete. Ask after
  /// reading a file that turned out broken, not before.
  package var pathsBeingWritten: Set<String> {
    drain()
    return tree.beingWritten.paths()
  }

  private func drain() {
    let change = tree.processEvents()
    guard !change.isEmpty else { return }
    let now = Time.monotonicMicroseconds()
    if pending.isEmpty { firstPending = now }
    pending.folders.formUnion(change.folders)
    pending.applications.formUnion(change.applications)
    let due = min(now + Self.quiet, firstPending + Self.patience)
    deadline = Deadline(after: .microseconds(due > now ? due - now : 0)) { [weak self] in
      self?.tell()
    }
  }

  private func tell() {
    let change = pending
    pending = Change()
    onChange(change)
  }
}
