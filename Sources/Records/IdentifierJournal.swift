internal import Glibc
internal import LaunchRules

/// The fingerprints of the names of all requests with an identifier, in a separate file beside the record.
///
/// The record may be damaged, locked, or on a full disk. A repeated request with a name that is in the
/// journal but not in the record fails with DeliveryUnknown instead of being treated as new.
final class IdentifierJournal {
  enum Kind: UInt8 {
    /// A request of this name was accepted.
    case accepted = 1
    /// The request may have been delivered. The record shows the delivery, unless a file of the record is lost or damaged.
    case delivering = 2
    /// The record has dropped the request because of its age or the limit.
    case forgotten = 3
  }

  /// The fingerprints that a journal has.
  struct Names {
    fileprivate(set) var known: Set<UInt64> = []
    /// The known names whose requests may have been delivered.
    fileprivate(set) var arrived: Set<UInt64> = []
    /// Whether names are missing: more is damaged than the last entry, or the rest of the file cannot be read.
    fileprivate(set) var isIncomplete = false
  }

  let path: String
  private var file: Int32 = -1
  private var entries = 0
  private var end: off_t = 0
  /// The size of the file, with the reserved space at its end.
  private var taken: off_t = 0
  private static let size = 16
  /// Reserved space at the end, so that some names can be written on a full disk.
  private static let room: off_t = 4096

  /// Maximum size of a file that is read, in bytes: four million entries. A daemon that compacts the file stays far
  /// below.
  static let mostBytes: off_t = 1 << 26

  /// Reads the file. Leaves out damaged entries; see `Names.isIncomplete`.
  /// - Returns: the journal and its contents; nil when there is no such file.
  /// - Throws: when the file cannot be a journal.
  static func open(
    _ path: String
  ) throws(IdentifierJournalError) -> (journal: IdentifierJournal, names: Names)? {
    let file = unsafe Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw .notOpened(errno)
    }
    let journal = IdentifierJournal(path, file)
    var status = stat()
    guard unsafe fstat(file, &status) == 0 else { throw .notOpened(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_size <= mostBytes else { throw .tooLarge(Int(status.st_size)) }
    return (journal, journal.read())
  }

  /// Replaces the file with a new one.
  static func make(
    _ path: String, _ names: Set<UInt64>, arrived: Set<UInt64>
  ) -> IdentifierJournal? {
    let new = path + ".new"
    guard unsafe unlink(new) == 0 || errno == ENOENT else { return nil }
    let file = unsafe Glibc.open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return nil }
    let journal = IdentifierJournal(path, file)
    guard journal.append(names.map { ($0, arrived.contains($0) ? .delivering : .accepted) }),
      unsafe rename(new, path) == 0
    else {
      unsafe unlink(new)
      return nil
    }
    return journal
  }

  private init(_ path: String, _ file: Int32) {
    self.path = path
    self.file = file
  }

  deinit { close(file) }

  /// Whether the file is more than twice as large as this number of names needs.
  func isWasteful(for names: Int) -> Bool { entries > 2 * names + 4096 }

  /// Whether the path still leads to the open file.
  var isInPlace: Bool {
    var own = stat()
    var named = stat()
    guard unsafe fstat(file, &own) == 0, unsafe stat(path, &named) == 0 else { return false }
    return own.st_ino == named.st_ino && own.st_dev == named.st_dev
  }

  /// - Returns: false when the write has failed.
  @discardableResult
  func append(_ names: [(fingerprint: UInt64, kind: Kind)]) -> Bool {
    guard !names.isEmpty else { return true }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(names.count * Self.size)
    for (fingerprint, kind) in names { bytes += Self.bytes(fingerprint, kind) }
    if end + off_t(bytes.count) > taken {
      let room = off_t(bytes.count) + Self.room
      if posix_fallocate(file, end, room) == 0 { taken = end + room }
    }
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe pwrite(file, $0.baseAddress! + written, bytes.count - written, end + off_t(written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        // Entries behind the end would be read after later ones.
        if ftruncate(file, end) == 0 { taken = end }
        return false
      }
      written += count
    }
    entries += names.count
    end += off_t(bytes.count)
    return true
  }

  private func read() -> Names {
    var names = Names()
    // A process that is killed while it writes leaves one incomplete entry at the end.
    var damaged = 0
    var hasGap = false
    var bytes = [UInt8](repeating: 0, count: 4096 * Self.size)
    while true {
      let count = unsafe pread(file, &bytes, bytes.count, taken)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        names.isIncomplete = names.isIncomplete || count < 0
        return names
      }
      for start in stride(from: 0, to: count - Self.size + 1, by: Self.size) {
        let entry = bytes[start..<start + Self.size]
        let fingerprint = entry.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        guard let kind = Kind(rawValue: entry[start + 8]),
          entry.elementsEqual(Self.bytes(fingerprint, kind))
        else {
          if entry.contains(where: { $0 != 0 }) { damaged += 1 }
          hasGap = true
          names.isIncomplete = names.isIncomplete || damaged > 1
          continue
        }
        names.isIncomplete = names.isIncomplete || hasGap
        names.add(fingerprint, kind)
        entries += 1
        end = taken + off_t(start + Self.size)
      }
      // An incomplete entry at the end, from a process that was killed while it wrote, is overwritten.
      taken += off_t(count - count % Self.size)
      if count < Self.size { return names }
    }
  }

  /// The fingerprint, the kind, and a checksum of both.
  private static func bytes(_ fingerprint: UInt64, _ kind: Kind) -> [UInt8] {
    var hash = FNV1a()
    hash.add(fingerprint)
    hash.add(kind.rawValue)
    func big(_ number: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
    return big(fingerprint) + [kind.rawValue] + big(hash.value).prefix(7)
  }
}

extension IdentifierJournal.Names {
  fileprivate mutating func add(_ fingerprint: UInt64, _ kind: IdentifierJournal.Kind) {
    switch kind {
    case .accepted:
      known.insert(fingerprint)
      arrived.remove(fingerprint)
    case .delivering:
      known.insert(fingerprint)
      arrived.insert(fingerprint)
    case .forgotten:
      known.remove(fingerprint)
      arrived.remove(fingerprint)
    }
  }
}

/// The reason why a file is not read as a journal of identifiers.
enum IdentifierJournalError: Error, Hashable, CustomStringConvertible {
  case notOpened(Int32)
  case notRegular
  /// - Parameter bytes: the size of the file.
  case tooLarge(_ bytes: Int)

  var description: String {
    switch self {
    case .notOpened(let code): unsafe String(cString: strerror(code))
    case .notRegular: "it is not a regular file"
    case .tooLarge(let bytes):
      "it has \(bytes) bytes; the largest size is \(IdentifierJournal.mostBytes) bytes"
    }
  }
}
