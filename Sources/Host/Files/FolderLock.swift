internal import Glibc

/// Locks a folder against other processes as long as this object exists.
package final class FolderLock {
  private let file: Descriptor
  private let path: String

  private init(_ file: consuming Descriptor, _ path: String) {
    self.file = file
    self.path = path
  }

  /// Whether the path still leads to the locked file. Otherwise another process can lock the folder as well.
  package var isInPlace: Bool {
    var named = stat()
    guard let own = try? file.status(), unsafe lstat(path, &named) == 0 else { return false }
    return own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  /// Locks the file `lock` in the folder, which is created if missing.
  /// - Returns: Nil when another process has the lock; `owner` returns its PID. Does not wait.
  package static func take(_ folder: String) throws(FileError) -> FolderLock? {
    try createFolders(folder)
    let path = folder + "/lock"
    let file = try FileError.explaining("open", path) { () throws(Errno) in
      // The lock file is written to, so it must not be a link or a file that another user has placed there.
      let file = try Descriptor(
        opening: path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW, mode: 0o600)
      let status = try file.status()
      guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else { throw .notPermitted }
      return file
    }
    let isOurs = try FileError.explaining("lock", path) { () throws(Errno) in
      if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return true }
      let why = Errno.last
      guard why == .wouldWait else { throw why }
      return false
    }
    guard isOurs else { return nil }
    // The PID is only informative: the lock also succeeds on a full disk.
    if ftruncate(file.number, 0) == 0 { try? file.writeAll(Array("\(getpid())\n".utf8)) }
    return FolderLock(file, path)
  }

  /// The process that has the lock; nil when unknown.
  package static func owner(of folder: String) -> Int32? {
    guard let bytes = try? RegularFile.read(folder + "/lock", atMost: 16).bytes else { return nil }
    return Int32(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
  }
}
