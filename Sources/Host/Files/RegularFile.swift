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
    let file = try FileError.explaining("open", path) { () throws(Errno) in
      try Descriptor(opening: path, O_RDONLY | O_NONBLOCK)
    }
    let status = try FileError.explaining("look at", path) { () throws(Errno) in
      try file.status()
    }
    if let kind = kindUnlessRegular(status.st_mode) {
      throw FileError(path, .notARegularFile(kind))
    }
    guard status.st_size <= limit else { throw FileError(path, .tooLarge(limit: limit)) }
    let bytes = try FileError.explaining("read", path) { () throws(Errno) in
      try file.readAll(stoppingPast: limit)
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
