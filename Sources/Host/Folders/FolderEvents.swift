internal import Glibc

/// One inotify event of a watched folder.
struct FolderEvent: Equatable {
  /// The watch descriptor; negative for `overflow`.
  let watch: Int32
  let kinds: Kinds
  /// The name of the entry; nil for the folder itself.
  let name: String?

  /// The events of inotify(7).
  struct Kinds: OptionSet {
    let rawValue: UInt32

    static let created = Self(rawValue: UInt32(IN_CREATE))
    static let deleted = Self(rawValue: UInt32(IN_DELETE))
    static let movedHere = Self(rawValue: UInt32(IN_MOVED_TO))
    static let movedAway = Self(rawValue: UInt32(IN_MOVED_FROM))
    static let modified = Self(rawValue: UInt32(IN_MODIFY))
    static let closedAfterWriting = Self(rawValue: UInt32(IN_CLOSE_WRITE))
    /// Permissions, owner or times.
    static let attributesChanged = Self(rawValue: UInt32(IN_ATTRIB))
    /// The folder was renamed.
    static let folderMoved = Self(rawValue: UInt32(IN_MOVE_SELF))
    /// The folder and its watch were removed.
    static let watchEnded = Self(rawValue: UInt32(IN_IGNORED))
    /// Events were lost.
    static let overflow = Self(rawValue: UInt32(IN_Q_OVERFLOW))

    /// The name was removed or leads to another file.
    static let renaming: Self = [.created, .deleted, .movedHere, .movedAway]
  }
}

/// The inotify queue.
struct FolderEvents: ~Copyable {
  private let queue: Descriptor
  private static let pieceSize = 16384
  /// More than the limit of the kernel's queue, so that reading ends even if events keep arriving.
  private static let mostPieces = 64

  /// The maximum number of watches of a user's processes; 8192 when the kernel does not report it.
  static var watchesOfUser: Int {
    let file = "/proc/sys/fs/inotify/max_user_watches"
    let text = (try? RegularFile.read(file, atMost: 64).bytes).map {
      String(decoding: $0, as: UTF8.self)
    }
    return text.flatMap { Int($0.prefix { $0.isNumber }) } ?? 8192
  }

  init() throws(Errno) {
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { throw Errno.last }
    queue = Descriptor(adopting: number)
  }

  /// The descriptor that is readable when events are pending.
  func duplicateDescriptor() throws(Errno) -> Descriptor {
    try Descriptor(duplicating: queue.number)
  }

  /// Watches the target of all symbolic links. Returns the same watch descriptor for the same folder, which is
  /// then watched for the events of both calls.
  func watch(_ path: String, for kinds: FolderEvent.Kinds) throws(Errno) -> Int32 {
    guard !path.utf8.contains(0) else { throw Errno(EINVAL) }
    let mask = kinds.rawValue | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)
    let watch = unsafe inotify_add_watch(queue.number, path, mask)
    guard watch >= 0 else { throw Errno.last }
    return watch
  }

  func end(_ watch: Int32) { inotify_rm_watch(queue.number, watch) }

  /// All pending events; does not block.
  func next() -> [FolderEvent] {
    var events: [FolderEvent] = []
    for _ in 0..<Self.mostPieces {
      guard let piece = try? queue.readSome(atMost: Self.pieceSize), !piece.isEmpty else { break }
      Self.decode(piece, into: &events)
    }
    return events
  }

  /// Ignores names that are not UTF-8, because paths are Swift strings.
  private static func decode(_ piece: [UInt8], into events: inout [FolderEvent]) {
    let headSize = MemoryLayout<inotify_event>.size
    var offset = 0
    while offset + headSize <= piece.count {
      let head = unsafe piece.withUnsafeBytes {
        unsafe $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
      }
      offset += headSize
      let field = piece[offset..<min(offset + Int(head.len), piece.count)]
      offset += Int(head.len)
      let name = String(validating: field.prefix { $0 != 0 }, as: UTF8.self)
      guard let name else { continue }
      events.append(
        FolderEvent(
          watch: head.wd, kinds: .init(rawValue: head.mask), name: name.isEmpty ? nil : name))
    }
  }
}
