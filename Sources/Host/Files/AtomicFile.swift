internal import Glibc

/// Writes files atomically: readers see the old content or the new.
package enum AtomicFile {
  /// The kinds of failure that the content survives.
  package enum Durability {
    /// A crash of the machine.
    case crashes
    /// Only the end of processes; after a crash of the machine the content is undefined.
    case processes
  }

  /// Replaces the file at `path`; the new content survives a crash.
  ///
  /// Creates missing parent folders with mode 0700. Fails when the file exists and is not regular.
  /// - Parameter followsLinks: Whether to replace the target of a symbolic link at `path` instead of the link.
  package static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, followsLinks: Bool = true,
    surviving durability: Durability = .crashes
  ) throws(FileError) {
    let path = followsLinks ? resolvingLinks(path) : path
    // A device, for example behind a link that somebody has made, must not become a file.
    if let status = try? look(at: path, followingLink: false), status.st_mode & S_IFMT != S_IFLNK,
      let kind = RegularFile.kindUnlessRegular(status.st_mode)
    {
      throw FileError(path, .notARegularFile(kind))
    }
    _ = try place(bytes, at: path, mode, durability) { temporary throws(Errno) in
      guard unsafe rename(temporary, path) == 0 else { throw Errno.last }
      return true
    }
  }

  /// Replaces what is at `path`, also a symbolic link; the new content survives a crash.
  /// - Parameter isReplaced: Called when the new content is on the disk; false to leave the file as it is.
  /// - Returns: whether the file was replaced.
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32, if isReplaced: () -> Bool
  ) throws(FileError) -> Bool {
    try place(bytes, at: path, mode, .crashes) { temporary throws(Errno) in
      guard isReplaced() else { return false }
      guard unsafe rename(temporary, path) == 0 else { throw Errno.last }
      return true
    }
  }

  /// Writes a file at a path where nothing is; the content survives a crash.
  ///
  /// Creates missing parent folders with mode 0700. Does not follow a symbolic link.
  /// - Returns: false when something is at `path`, which stays as it is.
  package static func create(
    _ bytes: [UInt8], at path: String, mode: UInt32 = 0o600
  ) throws(FileError) -> Bool {
    try place(bytes, at: path, mode, .crashes) { temporary throws(Errno) in
      if unsafe link(temporary, path) == 0 {
        unsafe unlink(temporary)
        return true
      }
      let problem = Errno.last
      if problem == Errno(EEXIST) { return false }
      // A file system without hard links.
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(problem.number) else { throw problem }
      guard (try? look(at: path, followingLink: false)) == nil else { return false }
      guard unsafe rename(temporary, path) == 0 else { throw Errno.last }
      return true
    }
  }

  /// Removes what is at `path` itself unless that is a regular file: an empty folder, a FIFO, a socket, a device, or a
  /// symbolic link, of which the target stays. What comes into its place in the meantime stays. Does nothing for a file and a
  /// missing one; fails for a folder that is not empty.
  ///
  /// Processes that wait until somebody opens a removed FIFO go on: a reader finds no data.
  package static func removeUnlessFile(_ path: String) throws(FileError) {
    guard let seen = try? look(at: path, followingLink: false), seen.st_mode & S_IFMT != S_IFREG
    else { return }
    try FileError.explaining("remove", path) { () throws(Errno) in
      if seen.st_mode & S_IFMT == S_IFDIR {
        guard unsafe rmdir(path) == 0 || [ENOENT, ENOTDIR].contains(errno) else { throw Errno.last }
        return
      }
      // Only what has no other name can be removed without a chance that something new is removed.
      let aside = temporaryName(in: parent(of: path))
      guard unsafe rename(path, aside) == 0 else {
        guard errno == ENOENT else { throw Errno.last }
        return
      }
      let found = try look(at: aside, followingLink: false)
      if found.st_ino == seen.st_ino, found.st_dev == seen.st_dev {
        // Nobody can open the FIFO any more after that, so that the processes would wait without end.
        let other =
          found.st_mode & S_IFMT == S_IFIFO
          ? try? Descriptor(opening: aside, O_RDWR | O_NONBLOCK | O_NOFOLLOW).release() : nil
        unsafe unlink(aside)
        if let other { close(other) }
      } else if found.st_mode & S_IFMT == S_IFDIR {
        guard unsafe rename(aside, path) == 0 else { throw Errno.last }
      } else if unsafe link(aside, path) == 0 || errno == EEXIST {
        unsafe unlink(aside)
      } else {
        guard unsafe rename(aside, path) == 0 else { throw Errno.last }
      }
    }
  }

  private static func temporaryName(in folder: String) -> String {
    "\(folder)/\(temporaryPrefix)\(randomToken().prefix(temporaryDigits))"
  }

  /// Writes a temporary file beside `path`.
  /// - Parameter step: gives the file its name; false to remove the file.
  private static func place(
    _ bytes: [UInt8], at path: String, _ mode: UInt32, _ durability: Durability,
    _ step: (_ temporary: String) throws(Errno) -> Bool
  ) throws(FileError) -> Bool {
    let folder = parent(of: path)
    try createFolders(folder)
    let temporary = temporaryName(in: folder)
    let isPlaced: Bool
    do throws(FileError) {
      isPlaced = try FileError.explaining("write", path) { () throws(Errno) in
        try fill(temporary, with: bytes, mode: mode, durability)
        return try step(temporary)
      }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    guard isPlaced else {
      unsafe unlink(temporary)
      return false
    }
    guard durability == .crashes else { return true }
    try FileError.explaining("sync the folder of", path) { () throws(Errno) in
      let opened = try Descriptor(opening: folder, O_RDONLY | O_DIRECTORY)
      // Some file systems cannot sync a folder and return EINVAL.
      guard fsync(opened.number) == 0 || errno == EINVAL else { throw Errno.last }
    }
    return true
  }

  private static func fill(
    _ path: String, with bytes: [UInt8], mode: UInt32, _ durability: Durability
  ) throws(Errno) {
    let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    try file.writeAll(bytes)
    guard fchmod(file.number, mode) == 0 else { throw Errno.last }
    guard durability == .processes || fsync(file.number) == 0 else { throw Errno.last }
  }

  /// The target of all symbolic links at `path`, which need not exist.
  static func resolvingLinks(_ path: String) -> String {
    var path = path
    for _ in 0..<mostLinks {
      guard let target = SymbolicLink.target(of: path) else { break }
      path = target.utf8.first == UInt8(ascii: "/") ? target : "\(parent(of: path))/\(target)"
    }
    return path
  }

  /// The limit of Linux.
  private static let mostLinks = 40
}

/// Creates `path` and its missing parent folders with mode 0700.
package func createFolders(_ path: String) throws(FileError) {
  do throws(Errno) {
    _ = try look(at: path)
  } catch .noSuchFile {
    try createFolders(parent(of: path))
    try FileError.explaining("create", path) { () throws(Errno) in
      // Another process may have created the folder in the meantime.
      guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Errno.last }
    }
  } catch {
    throw FileError(path, .cannot("look at", error))
  }
}

/// Creates the folder if it is missing, and fails if another user may access it.
package func makePrivateFolder(_ path: String) throws(FileError) {
  let isPrivate = try FileError.explaining("use", path) { () throws(Errno) in
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Errno.last }
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw Errno.last }
    return status.st_mode & (S_IFMT | 0o077) == S_IFDIR && status.st_uid == geteuid()
  }
  guard isPrivate else { throw FileError(path, .notAPrivateFolder) }
}

/// The parent of `path`: `/` for the root, `.` for a bare name.
func parent(of path: String) -> String {
  var rest = path[...]
  while rest.utf8.count > 1, rest.last == "/" { rest.removeLast() }
  guard let slash = rest.lastIndex(of: "/") else { return "." }
  rest = rest[..<slash]
  while rest.last == "/" { rest.removeLast() }
  return rest.isEmpty ? "/" : String(rest)
}
