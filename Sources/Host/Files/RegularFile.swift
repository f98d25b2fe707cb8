internal import Glibc

/// Reading of whole files that other people wrote.
package enum RegularFile {
  /// The bytes of the file at `path`, and the state it was in before the first was read.
  ///
  /// Anything but a regular file is refused without waiting (a FIFO would wait for its writer), and
  /// so is a file of more than `limit` bytes, even when it grows while it is read. A file that was
  /// changed meanwhile has another stamp afterwards.
  package static func read(
    _ path: String, atMost limit: Int
  ) throws(FileError) -> (bytes: [UInt8], stamp: FileStamp) {
    try read(path, O_RDONLY | O_NONBLOCK, atMost: limit) { _ in true }
  }

  /// The bytes of a file that nobody but this user can have written, and that no link leads to.
  package static func readOwn(_ path: String, atMost limit: Int) throws(FileError) -> [UInt8] {
    try read(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, atMost: limit) { status in
      status.st_uid == geteuid() && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }.bytes
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

  private static func kindUnlessRegular(_ mode: mode_t) -> String? {
    switch mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a folder"
    case S_IFIFO: "a FIFO"
    case S_IFCHR, S_IFBLK: "a device"
    default: "something unusual"
    }
  }
}
