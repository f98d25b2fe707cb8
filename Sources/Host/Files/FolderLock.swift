internal import Glibc

/// Keeps other processes from using a folder for as long as it lives.
package final class FolderLock {
  private let file: Descriptor

  private init(_ file: consuming Descriptor) { self.file = file }

  /// Takes the lock, a file `lock` in the folder, which is made when it is missing.
  /// - Returns: nil when another process has it. Who waits asks again.
  package static func take(_ folder: String) throws(FileError) -> FolderLock? {
    try createFolders(folder)
    let path = folder + "/lock"
    let file = try FileError.explaining("open", path) { () throws(Errno) in
      try Descriptor(opening: path, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600)
    }
    let isOurs = try FileError.explaining("lock", path) { () throws(Errno) in
      if flock(file.number, LOCK_EX | LOCK_NB) == 0 { return true }
      let why = Errno.last
      guard why == .wouldWait else { throw why }
      return false
    }
    return isOurs ? FolderLock(file) : nil
  }
}
