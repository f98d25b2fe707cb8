internal import Glibc

/// Reads whole files from untrusted writers.
package enum RegularFile {
  /// The bytes of the file at `path`, and its stamp before the first byte was read.
  ///
  /// Fails without blocking if the file is not regular (a FIFO would block until a writer comes), and if it has
  /// more than `limit` bytes, also when it grows during the read. A file that changes during the read has a
  /// different stamp afterwards.
  package static func read(
    _ path: String, atMost limit: Int
  ) throws(FileError) -> (bytes: [UInt8], stamp: FileStamp) {
    try read(path, O_RDONLY | O_NONBLOCK, atMost: limit) { _ in true }
  }

  /// The bytes of a file that only this user may write and that is not a symbolic link.
  package static func readOwn(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    try read(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, atMost: limit) { status in
      status.st_uid == geteuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }.bytes
  }

  /// The first bytes of the file, at most `count`.
  package static func beginning(of path: String, atMost count: Int) throws(FileError) -> [UInt8] {
    let file = try FileError.explaining("open", path) { () throws(Errno) in
      try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
    }
    let status = try FileError.explaining("look at", path) { () throws(Errno) in
      try file.status()
    }
    if let kind = kindUnlessRegular(status.st_mode) {
      throw FileError(path, .notARegularFile(kind))
    }
    let bytes = try FileError.explaining("read", path) { () throws(Errno) in
      try file.readAll(stoppingPast: count, expecting: count)
    }
    return Array(bytes.prefix(count))
  }

  /// What keeps the file at `path` from being read, when `read` fails with this error: the kind of what is there, such as
  /// "a socket". Nil for another problem, such as one of the machine.
  package static func kind(of error: FileError) -> String? {
    if case .notARegularFile(let kind) = error.problem { return kind }
    switch error.errno {
    case Errno(ELOOP): return "a symbolic link that leads in a circle"
    case Errno(ENOTDIR), Errno(ENAMETOOLONG):
      return "a symbolic link that leads to no possible place"
    case Errno(EACCES): return "a file that cannot be read (\(Errno(EACCES)))"
    // The kernel does not open a socket.
    case Errno(ENXIO):
      return (try? look(at: error.path)).flatMap { kindUnlessRegular($0.st_mode) }
    default: return nil
    }
  }

  private static func read(
    _ path: String, _ flags: Int32, atMost limit: Int, where isTrusted: (stat) -> Bool
  ) throws(FileError) -> (bytes: [UInt8], stamp: FileStamp) {
    let file = try FileError.explaining("open", path) { () throws(Errno) in
      try Descriptor(opening: path, flags)
    }
    let status = try FileError.explaining("look at", path) { () throws(Errno) in
      try file.status()
    }
    if let kind = kindUnlessRegular(status.st_mode) {
      throw FileError(path, .notARegularFile(kind))
    }
    guard isTrusted(status) else { throw FileError(path, .cannot("trust", .notPermitted)) }
    guard status.st_size <= limit else { throw FileError(path, .tooLarge(limit: limit)) }
    let bytes = try FileError.explaining("read", path) { () throws(Errno) in
      try file.readAll(stoppingPast: limit, expecting: Int(status.st_size))
    }
    guard bytes.count <= limit else { throw FileError(path, .tooLarge(limit: limit)) }
    return (bytes, FileStamp(status))
  }

  /// Nil for a regular file.
  static func kindUnlessRegular(_ mode: mode_t) -> String? {
    switch mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a folder"
    case S_IFIFO: "a FIFO"
    case S_IFCHR, S_IFBLK: "a device"
    case S_IFSOCK: "a socket"
    default: "something unusual"
    }
  }
}
