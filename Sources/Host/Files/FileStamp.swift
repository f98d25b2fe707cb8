internal import Glibc

/// Which file a name leads to: two names of one file have equal identities.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// The file at the end of all symbolic links; nil when there is none.
  package init?(path: String) {
    guard let stamp = try? FileStamp(path: path) else { return nil }
    self = stamp.identity
  }
}

/// A file in one of its states: another content has another stamp.
package struct FileStamp: Hashable, Sendable, CustomStringConvertible {
  package let identity: FileIdentity
  /// In bytes.
  package let size: Int64
  /// The last change of the content, in nanoseconds since 1970.
  package let modified: Int64
  /// The last change of content, name or permissions, in nanoseconds since 1970.
  package let changed: Int64

  package init(identity: FileIdentity, size: Int64, modified: Int64, changed: Int64) {
    self.identity = identity
    self.size = size
    self.modified = modified
    self.changed = changed
  }

  /// The state of the file at the end of all symbolic links.
  package init(path: String) throws(FileError) {
    self.init(try FileError.explaining("look at", path) { () throws(Errno) in try look(at: path) })
  }

  init(_ status: stat) {
    identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    size = Int64(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  /// Outside the years 1678 to 2262 a date does not fit and wraps around, which still differs.
  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// The five numbers in the order device, inode, size, modified, changed.
  package var description: String {
    "\(identity.device).\(identity.inode).\(size).\(modified).\(changed)"
  }
}

/// The status of what is at `path`, or of the link itself when `path` is a symbolic link that is
/// not to be followed.
func look(at path: String, followingLink: Bool = true) throws(Errno) -> stat {
  guard !path.utf8.contains(0) else { throw Errno(EINVAL) }
  var status = stat()
  let code = unsafe followingLink ? stat(path, &status) : lstat(path, &status)
  guard code == 0 else { throw Errno.last }
  return status
}
