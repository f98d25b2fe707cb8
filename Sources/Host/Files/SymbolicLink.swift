internal import Glibc

package enum SymbolicLink {
  /// The absolute path at the end of the links, when `path` is one; nil for anything else, and for one that
  /// leads to nothing.
  package static func end(of path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK,
      let end = unsafe realpath(path, nil)
    else { return nil }
    defer { unsafe free(end) }
    return unsafe String(validatingCString: end)
  }
}
