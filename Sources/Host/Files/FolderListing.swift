internal import Glibc

/// The names in one folder.
package struct FolderListing: Hashable, Sendable {
  /// Without `.` and `..`.
  package let names: [String]
  /// The names that are not UTF-8, with invalid bytes replaced; files cannot be opened by these names.
  package let unusable: [String]
  /// The names of symbolic links, on file systems that report the kind.
  package let links: [String]
  /// The names of folders, on file systems that report the kind.
  package let folders: [String]

  /// Lists the folder; fails if it has more than `limit` names.
  /// - Parameter isSorted: False if the order does not matter; sorting takes longer than listing.
  package init(
    of path: String, atMost limit: Int = 200_000, isSorted: Bool = true
  ) throws(FileError) {
    let opened = try FileError.explaining("list", path) { () throws(Errno) in
      try Descriptor(opening: path, Self.flags).release()
    }
    self = try Self(path, opened, atMost: limit, isSorted: isSorted)
  }

  /// Lists the folder without waiting for a file system that does not answer; fails with `Errno.timedOut` then.
  package static func prompt(
    of path: String, patience: Duration = PromptFile.patience
  ) throws(FileError) -> Self {
    let listing = try FileError.explaining("list", path) { () throws(Errno) in
      try PromptFile.with(path, patience: patience) { number throws(Errno) in
        let opened = unsafe openat(number, ".", Self.flags | O_CLOEXEC, 0)
        guard opened >= 0 else { throw .last }
        return Result { () throws(FileError) in
          try Self(path, opened, atMost: most, isSorted: false)
        }
      }
    }
    return try listing.get()
  }

  private static let flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK
  private static let most = 200_000

  private init(
    _ path: String, _ opened: Int32, atMost limit: Int, isSorted: Bool
  ) throws(FileError) {
    var names: [String] = []
    var unusable: [String] = []
    var links: [String] = []
    var folders: [String] = []
    guard let stream = unsafe fdopendir(opened) else {
      let reason = Errno.last
      close(opened)
      throw FileError(path, .cannot("list", reason))
    }
    defer { unsafe closedir(stream) }
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!
    errno = 0
    while let entry = unsafe readdir(stream) {
      let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset)
        .assumingMemoryBound(to: CChar.self)
      let text = unsafe String(cString: name)
      if text == "." || text == ".." { continue }
      guard names.count + unusable.count < limit else {
        throw FileError(path, .tooManyEntries(limit: limit))
      }
      if unsafe String(validatingCString: name) == nil {
        unusable.append(text)
      } else {
        names.append(text)
        if unsafe entry.pointee.d_type == UInt8(DT_LNK) { links.append(text) }
        if unsafe entry.pointee.d_type == UInt8(DT_DIR) { folders.append(text) }
      }
      errno = 0
    }
    guard errno == 0 else { throw FileError(path, .cannot("list", .last)) }
    self.names = isSorted ? names.sorted() : names
    self.links = links
    self.folders = folders
    self.unusable = isSorted ? unusable.sorted() : unusable
  }
}
