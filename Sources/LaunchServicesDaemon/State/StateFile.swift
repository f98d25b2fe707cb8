internal import Glibc
internal import Host
internal import PropertyLists

/// A file of durable state: a property list that is read at the start and always written as a whole.
nonisolated struct StateFile<Contents: Codable & Sendable> {
  let path: String
  /// Binary format supports characters that D-Bus allows and XML does not.
  var isBinary = false
  /// Maximum size in bytes; a larger file is treated as damaged.
  var largest = 256 << 20

  /// Nil when there is no file. A damaged file is moved aside, so that its contents are not overwritten.
  func read(_ journal: Journal) -> Contents? {
    guard unsafe access(path, F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno) else { return nil }
    do {
      let bytes = try RegularFile.read(path, atMost: largest).bytes
      return try OwnPropertyList.decode(Contents.self, from: bytes)
    } catch {
      let aside = path + ".damaged"
      try? AtomicFile.move(path, to: aside)
      journal.error(
        "the state file cannot be read and was moved aside",
        ["file": path, "moved-to": aside, "reason": "\(error)"])
      return nil
    }
  }

  func write(_ contents: Contents) throws(FileError) {
    let bytes = OwnPropertyList.encode(contents, isBinary: isBinary)
    // The next start would treat a larger file as damaged.
    guard bytes.count <= largest else { throw FileError(path, .tooLarge(limit: largest)) }
    try AtomicFile.write(bytes, to: path)
  }
}
