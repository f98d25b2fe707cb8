internal import Glibc

/// The absolute path without symbolic links, `.` and `..`; nil when the file does not exist.
package func realPath(_ path: String) -> String? {
  guard let resolved = unsafe realpath(path, nil) else { return nil }
  defer { unsafe free(resolved) }
  return unsafe String(validatingCString: resolved)
}

/// The permissions of the target of all symbolic links; nil when it does not exist.
package func permissions(of path: String) -> UInt32? {
  (try? look(at: path)).map { UInt32($0.st_mode) & 0o777 }
}

package func isSymbolicLink(_ path: String) -> Bool {
  (try? look(at: path, followingLink: false)).map { $0.st_mode & S_IFMT == S_IFLNK } ?? false
}

/// False for a symbolic link.
package func isRegularFile(_ path: String) -> Bool {
  (try? look(at: path, followingLink: false)).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
}

extension AtomicFile {
  /// Removes the file if it exists.
  /// - Parameter followsLinks: Whether to remove the target of a symbolic link at `path` instead of the link.
  package static func remove(_ path: String, followsLinks: Bool = false) throws(FileError) {
    let path = followsLinks ? resolvingLinks(path) : path
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw FileError(path, .cannot("remove", Errno(errno)))
    }
  }

  /// Renames a file atomically and replaces a file of the new name.
  package static func move(_ path: String, to other: String) throws(FileError) {
    guard unsafe rename(path, other) == 0 else {
      throw FileError(path, .cannot("rename", Errno(errno)))
    }
  }
}
