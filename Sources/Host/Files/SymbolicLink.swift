internal import Glibc

package enum SymbolicLink {
  /// The absolute target path if `path` is a symbolic link; nil otherwise, and for a dangling link.
  package static func end(of path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
    return resolved(path)
  }

  /// The absolute path without symbolic links; nil when nothing is there.
  package static func resolved(_ path: String) -> String? {
    guard let end = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(end) }
    return unsafe String(validatingCString: end)
  }
}
