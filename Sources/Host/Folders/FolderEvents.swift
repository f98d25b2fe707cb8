internal import Glibc

/// One thing that happened in or to a watched folder.
struct FolderEvent: Equatable {
  /// Names the watched folder; negative for `overflow`.
  let watch: Int32
  let happened: Happening
  /// What it happened to; nil for the folder itself.
  let name: String?

  /// What can happen, as inotify(7) says it.
  struct Happening: OptionSet {
    let rawValue: UInt32

    static let created = Self(rawValue: UInt32(IN_CREATE))
    static let deleted = Self(rawValue: UInt32(IN_DELETE))
    static let movedHere = Self(rawValue: UInt32(IN_MOVED_TO))
    static let movedAway = Self(rawValue: UInt32(IN_MOVED_FROM))
    static let modified = Self(rawValue: UInt32(IN_MODIFY))
    static let closedAfterWriting = Self(rawValue: UInt32(IN_CLOSE_WRITE))
    /// Permissions, owner or times.
    static let attributesChanged = Self(rawValue: UInt32(IN_ATTRIB))
    /// The folder itself has another path now.
    static let folderMoved = Self(rawValue: UInt32(IN_MOVE_SELF))
    /// The folder is gone, and so is its watch.
    static let watchEnded = Self(rawValue: UInt32(IN_IGNORED))
    /// Events were lost.
    static let overflow = Self(rawValue: UInt32(IN_Q_OVERFLOW))

    /// Another thing has this name now, or none.
    static let renaming: Self = [.created, .deleted, .movedHere, .movedAway]
  }
}

/// The kernel's queue of events in watched folders.
struct FolderEvents: ~Copyable {
  private let queue: Descriptor
  private static let pieceSize = 16384
  /// More than the kernel keeps, so that emptying the queue ends while others fill it.
  private static let mostPieces = 64

  /// How many watches all processes of a user may have together; 8192 when the kernel does not say.
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

  /// Readable when there are events.
  func duplicateDescriptor() throws(Errno) -> Descriptor {
    try Descriptor(duplicating: queue.number)
  }

  /// Watches the folder at the end of all symbolic links; gives the same number for the same
  /// folder, which then is watched for the happenings of both times.
  func watch(_ path: String, for happenings: FolderEvent.Happening) throws(Errno) -> Int32 {
    guard !path.utf8.contains(0) else { throw Errno(EINVAL) }
    let mask = happenings.rawValue | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)
    let watch = unsafe inotify_add_watch(queue.number, path, mask)
    guard watch >= 0 else { throw Errno.last }
    return watch
  }

  func end(_ watch: Int32) { inotify_rm_watch(queue.number, watch) }

  /// All events that wait, without waiting for more.
  func next() -> [FolderEvent] {
    var events: [FolderEvent] = []
    for _ in 0..<Self.mostPieces {
      guard let piece = try? queue.readSome(atMost: Self.pieceSize), !piece.isEmpty else { break }
      Self.decode(piece, into: &events)
    }
    return events
  }

  /// Names that are not UTF-8 are left out: nobody can ask for them.
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
          watch: head.wd, happened: .init(rawValue: head.mask), name: name.isEmpty ? nil : name))
    }
  }
}
