internal import FoundationEssentials
internal import Host
internal import PropertyLists

/// One file of durable state: a property list that is read at the start and replaced whole.
nonisolated struct StateFile<Contents: Codable & Sendable> {
  let path: String
  /// XML cannot hold every character that D-Bus can.
  var isBinary = false
  /// In bytes; a larger file counts as damaged.
  var largest = 256 << 20

  /// Nil when there is no file. A damaged file is moved aside, so that its contents are not overwritten.
  func read(_ journal: Journal) -> Contents? {
    guard FileIdentity(path: path) != nil else { return nil }
    do {
      let bytes = try RegularFile.read(path, atMost: largest).bytes
      return try PropertyListDecoder().decode(
        Contents.self, from: Data(try HostileInput.admitOwn(bytes)))
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
    let encoder = PropertyListEncoder()
    encoder.outputFormat = isBinary ? .binary : .xml
    guard let data = try? encoder.encode(contents) else {
      preconditionFailure("state is made of what property lists hold, which always encodes")
    }
    // A larger file would count as damaged at the next start.
    guard data.count <= largest else { throw FileError(path, .tooLarge(limit: largest)) }
    try AtomicFile.write(Array(data), to: path)
  }
}
