internal import Glibc

/// The files that are open for writing, as reported by inotify.
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

  /// Files that were written to and not closed, and new files that are still empty, because their writers are
  /// about to write. New hard links and FIFOs never cause a closing event, so a new entry is ignored if it is
  /// not empty, has other names, or is not a regular file.
  mutating func paths() -> Set<String> {
    modified = modified.filter { (try? look(at: $0, followingLink: false)) != nil }
    created = created.filter { path in
      guard let status = try? look(at: path, followingLink: false) else { return false }
      return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0 && status.st_nlink == 1
    }
    return modified.union(created)
  }
}
