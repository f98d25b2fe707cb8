internal import Glibc

/// Keeps other processes from using a folder for as long as it lives.
package final class FolderLock {
  private let file: Descriptor

  private init(_ file: consuming Descriptor) { self.file = file }

  /// Takes the lock, a file `lock` in the folder, which is made when it is missing.
  /// - Returns: nil when another process has it, which `holder` tells. Who waits asks again.
  package static func take(_ folder: String) throws(FileError) -> FolderLock? {
    try createFolders(folder)
    let path = folder + "/lock"
    let file = try FileError.explaining("open", path) { () throws(Errno) in
      // It is written to, and so must be nothing else that somebody has put there.
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
    // Only for who waits: the lock is had on a full disk, too.
    if ftruncate(file.number, 0) == 0 { try? file.writeAll(Array("\(getpid())\n".utf8)) }
    return FolderLock(file)
  }

  /// The process that has the lock; nil when it is not known.
  package static func holder(of folder: String) -> Int32? {
    guard let bytes = try? RegularFile.read(folder + "/lock", atMost: 16).bytes else { return nil }
    return Int32(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
  }
}
