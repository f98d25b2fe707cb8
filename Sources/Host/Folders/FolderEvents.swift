internal import Events
internal import Glibc

/// One inotify event of a watched folder.
struct FolderEvent: Equatable {
  /// The watch descriptor; negative for `overflow`.
  let watch: Int32
  let kinds: Kinds
  /// The name of the entry; nil for the folder itself.
  let name: String?
  /// The number of a renaming, the same for both names; 0 for other events.
  var renaming: UInt32 = 0

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
    /// The file was opened, also to be executed.
    static let opened = Self(rawValue: UInt32(IN_OPEN))
    /// The folder was renamed.
    static let folderMoved = Self(rawValue: UInt32(IN_MOVE_SELF))
    /// The folder and its watch were removed.
    static let watchEnded = Self(rawValue: UInt32(IN_IGNORED))
    /// The entry is a folder.
    static let ofFolder = Self(rawValue: UInt32(IN_ISDIR))
    /// Events were lost.
    static let overflow = Self(rawValue: UInt32(IN_Q_OVERFLOW))

    /// The name was removed or leads to another file.
    static let renaming: Self = [.created, .deleted, .movedHere, .movedAway]
  }
}

/// The watched folders of one component, and their events. All components of a process share one inotify instance,
/// because a user's processes have only 128 instances together.
@MainActor final class FolderEvents {
  /// Watches of this component.
  fileprivate var kinds: [Int32: FolderEvent.Kinds] = [:]
  fileprivate var pending: [FolderEvent] = []
  /// Called when `next` returns events.
  var onPending: (@MainActor () -> Void)?
  private let queue: FolderEventQueue

  /// The maximum number of watches of a user's processes; 8192 when the kernel does not report it.
  nonisolated static var watchesOfUser: Int {
    let file = "/proc/sys/fs/inotify/max_user_watches"
    let text = (try? RegularFile.read(file, atMost: 64).bytes).map {
      String(decoding: $0, as: UTF8.self)
    }
    return text.flatMap { Int($0.prefix { $0.isNumber }) } ?? 8192
  }

  /// Fails when the user has no inotify instance left.
  /// - Parameter sharesInstance: false for an inotify instance of its own, of which events may be lost without
  ///   consequences for other components.
  init(sharesInstance: Bool = true) throws(Errno) {
    queue = try sharesInstance ? .shared() : FolderEventQueue()
    queue.add(self)
  }

  isolated deinit { queue.remove(ObjectIdentifier(self), watching: Array(kinds.keys)) }

  /// Watches the target of all symbolic links. Returns the same watch descriptor for the same folder, which is
  /// then watched for the events of both calls. Throws `Errno.timedOut` for a file system that does not answer.
  /// - Parameter isFolder: false for a file.
  func watch(
    _ path: String, for kinds: FolderEvent.Kinds, isFolder: Bool = true
  ) throws(Errno) -> Int32 {
    let watch = try queue.watch(path, for: kinds, isFolder: isFolder, ObjectIdentifier(self))
    self.kinds[watch, default: []].formUnion(kinds)
    return watch
  }

  func end(_ watch: Int32) {
    if kinds.removeValue(forKey: watch) != nil { queue.end(watch, ObjectIdentifier(self)) }
  }

  /// All pending events; does not block.
  func next() -> [FolderEvent] {
    queue.read()
    defer { pending = [] }
    return pending
  }

  /// Adds an event if the component watches the folder for it.
  fileprivate func take(_ event: FolderEvent) {
    let wanted = kinds[event.watch].map { $0.union(.watchEnded) } ?? []
    guard event.kinds.contains(.overflow) || !wanted.isDisjoint(with: event.kinds) else { return }
    pending.append(event)
    if event.kinds.contains(.watchEnded) { kinds[event.watch] = nil }
  }
}

/// The inotify instance of this process.
@MainActor private final class FolderEventQueue {
  private struct Member {
    weak var events: FolderEvents?
  }

  private let descriptor: Descriptor
  private var arrival: DescriptorWatch?
  /// Announces events that were read for another component.
  private var announcement: Deadline?
  private var members: [ObjectIdentifier: Member] = [:]
  /// The members that watch each folder.
  private var watchers: [Int32: Set<ObjectIdentifier>] = [:]

  private static let pieceSize = 16384
  /// More than the limit of the kernel's queue, so that reading ends even if events keep arriving.
  private static let mostPieces = 64
  private static weak var existing: FolderEventQueue?

  static func shared() throws(Errno) -> FolderEventQueue {
    if let existing { return existing }
    let new = try FolderEventQueue()
    existing = new
    return new
  }

  init() throws(Errno) {
    let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard number >= 0 else { throw Errno.last }
    descriptor = Descriptor(adopting: number)
    arrival = DescriptorWatch(closing: try Descriptor(duplicating: number).release()) {
      [weak self] in
      self?.read()
      self?.announce()
    }
  }

  func add(_ events: FolderEvents) { members[ObjectIdentifier(events)] = Member(events: events) }

  func remove(_ member: ObjectIdentifier, watching watches: [Int32]) {
    members[member] = nil
    for watch in watches { end(watch, member) }
  }

  func watch(
    _ path: String, for kinds: FolderEvent.Kinds, isFolder: Bool, _ member: ObjectIdentifier
  ) throws(Errno) -> Int32 {
    guard !path.utf8.contains(0) else { throw Errno(EINVAL) }
    let mask = kinds.rawValue | UInt32(isFolder ? IN_ONLYDIR : 0) | UInt32(IN_MASK_ADD)
    let queue = descriptor.number
    let watch = try PromptFile.with(path) { number throws(Errno) in
      let watch = unsafe inotify_add_watch(queue, "/proc/self/fd/\(number)", mask)
      guard watch >= 0 else { throw .last }
      return watch
    }
    // Events from before this call are for the other members only.
    if let others = watchers[watch], !others.contains(member) { read() }
    watchers[watch, default: []].insert(member)
    return watch
  }

  /// Other members may watch the folder, for which the kernel then reports more events than they want.
  func end(_ watch: Int32, _ member: ObjectIdentifier) {
    guard watchers[watch]?.remove(member) != nil, watchers[watch]?.isEmpty == true else { return }
    watchers[watch] = nil
    inotify_rm_watch(descriptor.number, watch)
  }

  /// Gives all pending events to the members.
  func read() {
    for _ in 0..<Self.mostPieces {
      guard let piece = try? descriptor.readSome(atMost: Self.pieceSize), !piece.isEmpty else {
        break
      }
      Self.decode(piece, give)
    }
    if announcement == nil, members.values.contains(where: { $0.events?.pending.isEmpty == false })
    {
      announcement = Deadline(after: .zero) { [weak self] in self?.announce() }
    }
  }

  private func give(_ event: FolderEvent) {
    if event.kinds.contains(.overflow) {
      for member in members.values { member.events?.take(event) }
      return
    }
    for member in watchers[event.watch] ?? [] { members[member]?.events?.take(event) }
    if event.kinds.contains(.watchEnded) { watchers[event.watch] = nil }
  }

  private func announce() {
    announcement = nil
    for member in members.values {
      if let events = member.events, !events.pending.isEmpty { events.onPending?() }
    }
  }

  /// Ignores names that are not UTF-8, because paths are Swift strings.
  private static func decode(_ piece: [UInt8], _ body: (FolderEvent) -> Void) {
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
      body(
        FolderEvent(
          watch: head.wd, kinds: .init(rawValue: head.mask), name: name.isEmpty ? nil : name,
          renaming: head.cookie))
    }
  }
}
