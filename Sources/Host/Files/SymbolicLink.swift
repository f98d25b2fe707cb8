internal import Glibc

package enum SymbolicLink {
  /// The absolute target path if `path` is a symbolic link; nil otherwise, and for a dangling link.
  package static func end(of path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
    return resolved(path)
  }

  /// The place to which the symbolic links at `path` lead, where nothing needs to be: an absolute path whose folder has no
  /// symbolic links. Nil when `path` is no symbolic link, when the links lead in a circle, and without that folder.
  package static func place(of path: String) -> String? {
    guard target(of: path) != nil else { return nil }
    let end = AtomicFile.resolvingLinks(path)
    return target(of: end) == nil ? placeOfFile(end) : nil
  }

  /// The path of a file that is no symbolic link, by way of no symbolic link to its folder; nil without that folder.
  package static func placeOfFile(_ path: String) -> String? {
    guard let folder = resolved(parent(of: path)), let name = path.split(separator: "/").last
    else { return nil }
    return folder + "/" + name
  }

  /// The target as it is stored in the link, which may be relative or missing; nil if `path` is no link.
  package static func target(of path: String) -> String? {
    guard !path.utf8.contains(0) else { return nil }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
      guard let start = buffer.baseAddress else { return }
      count = unsafe max(0, readlink(path, start, buffer.count))
    }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
  }

  /// The absolute path without symbolic links; nil when nothing is there.
  package static func resolved(_ path: String) -> String? {
    guard let end = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(end) }
    return unsafe String(validatingCString: end)
  }
}
