internal import Glibc

/// The names in one folder.
package struct FolderListing: Hashable, Sendable {
  /// Without `.` and `..`.
  package let names: [String]
  /// Names that are not UTF-8, with their bad bytes replaced; they cannot be opened by these.
  package let unusable: [String]
  /// Those of `names` that are symbolic links, on file systems that say so.
  package let links: [String]

  /// Lists `path`; a folder of more than `limit` names is an error.
  /// - Parameter isSorted: False where the order does not matter, because sorting takes longer than listing.
  package init(
    of path: String, atMost limit: Int = 200_000, isSorted: Bool = true
  ) throws(FileError) {
    var names: [String] = []
    var unusable: [String] = []
    var links: [String] = []
    let opened = try FileError.explaining("list", path) { () throws(Errno) in
      try Descriptor(opening: path, O_RDONLY | O_DIRECTORY | O_NONBLOCK).release()
    }
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
      }
      errno = 0
    }
    guard errno == 0 else { throw FileError(path, .cannot("list", .last)) }
    self.names = isSorted ? names.sorted() : names
    self.links = links
    self.unusable = isSorted ? unusable.sorted() : unusable
  }
}
