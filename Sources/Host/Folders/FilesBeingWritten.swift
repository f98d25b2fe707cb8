internal import Glibc

/// The files that are open for writing, as far as inotify reports it.
struct FilesBeingWritten {
  private var modified: Set<String> = []
  private var created: Set<String> = []

  mutating func record(_ kinds: FolderEvent.Kinds, _ path: String) {
    if kinds.contains(.modified) {
      modified.insert(path)
    } else if kinds.contains(.created) {
      modified.remove(path)
      created.insert(path)
    } else if !kinds.isDisjoint(with: [
      .closedAfterWriting, .deleted, .movedAway, .movedHere,
    ]) {
      modified.remove(path)
      created.remove(path)
    }
  }

  mutating func forget(under path: String) {
    modified = modified.filter { !$0.isAt(orUnder: path) }
    created = created.filter { !$0.isAt(orUnder: path) }
  }

  /// A file that was written to counts, and so does a new one that is empty still, for its writer
  /// is about to begin. A new hard link or a FIFO never gets a closing event; so one that is not
  /// empty, or has other names, or is no regular file, does not count for having been created.
  mutating func paths() -> Set<String> {
    modified = modified.filter { (try? look(at: $0, followingLink: false)) != nil }
    created = created.filter { path in
      guard let status = try? look(at: path, followingLink: false) else { return false }
      return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0 && status.st_nlink == 1
    }
    return modified.union(created)
  }
}
