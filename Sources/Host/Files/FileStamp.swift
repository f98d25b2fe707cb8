internal import Glibc

/// The identity of a file: two paths to one file have equal identities.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  /// The target of all symbolic links; nil when it does not exist.
  package init?(path: String) {
    guard let stamp = try? FileStamp(path: path) else { return nil }
    self = stamp.identity
  }
}

/// The state of a file: a different content has a different stamp.
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

  /// The state of the target of all symbolic links.
  package init(path: String) throws(FileError) {
    self.init(try FileError.explaining("look at", path) { () throws(Errno) in try look(at: path) })
  }

  init(_ status: stat) {
    identity = FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    size = Int64(status.st_size)
    modified = Self.nanoseconds(status.st_mtim)
    changed = Self.nanoseconds(status.st_ctim)
  }

  /// A date outside the years 1678 to 2262 overflows and wraps around; different dates still differ.
  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// The five numbers in the order device, inode, size, modified, changed.
  package var description: String {
    "\(identity.device).\(identity.inode).\(size).\(modified).\(changed)"
  }
}

/// The status of the file at `path`, or of the symbolic link itself when links are not followed.
func look(at path: String, followingLink: Bool = true) throws(Errno) -> stat {
  guard !path.utf8.contains(0) else { throw Errno(EINVAL) }
  var status = stat()
  let code = unsafe followingLink ? stat(path, &status) : lstat(path, &status)
  guard code == 0 else { throw Errno.last }
  return status
}
