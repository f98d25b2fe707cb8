internal import Glibc

/// The absolute path without symbolic links, `.` and `..`; nil when nothing is there.
package func realPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(validatingCString: resolved)
}

extension AtomicFile {
  /// Gives a file another name in one step; a file that has that name already is replaced.
  package static func move(_ path: String, to other: String) throws(FileError) {
    guard unsafe rename(path, other) == 0 else {
      throw FileError(path, .cannot("rename", Errno(errno)))
    }
  }
}
