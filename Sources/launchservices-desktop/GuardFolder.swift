internal import Commands
internal import DesktopEntries
internal import FoundationEssentials
internal import Host
internal import LaunchRules
internal import PropertyLists

/// What the guard of defaults keeps between runs.
struct GuardMemory: Codable {
  /// The contents of the guarded files that the guard has seen last; a file that does not exist has none.
  var files: [String: Data] = [:]
  /// Desktop file IDs of applications whose changes always stay.
  var allowed: Set<String> = []
  var undone: Set<DefaultsGuardRule.Undone> = []
  /// The number of the last recorded change.
  var last = 0
  /// The files that are too large to compare; `files` has their last contents that were not.
  var tooLarge: Set<String>?
  /// The kinds of what is in the place of files, such as "a folder"; `files` has the contents before that.
  private var replaced: [String: String]?
  /// The last contents that were a key file, of files that are none now.
  var readable: [String: Data]?
  /// What was seen of the changes of each file that are recorded and taken back later: there were too many, or the file
  /// could not be written.
  private var pending: [String: Pending]?
  /// The symbolic links of the user that led to the lists when the guard last saw contents; nil when none were.
  private var links: [String: Link]?
  /// When a program of ours has written each file since the last comparison, in microseconds since boot; the maximum while
  /// the file is written.
  private var ownWrites: [String: UInt64]?

  /// A symbolic link in the place of a file.
  struct Link: Codable, Equatable {
    /// As it is stored in the link.
    let target: String
    /// The path to which the link leads, by way of others.
    let place: String
    /// Of the folder with the place; nil in the memory of an earlier version.
    private let device: UInt64?
    private let inode: UInt64?

    /// Nil for no link, and for one that leads nowhere.
    init?(at path: String) {
      guard let target = SymbolicLink.target(of: path), let place = SymbolicLink.place(of: path)
      else { return nil }
      let folder = Self.folder(of: place)
      (self.target, self.place) = (target, place)
      (device, inode) = (folder?.device, folder?.inode)
    }

    private static func folder(of place: String) -> FileIdentity? {
      place.lastIndex(of: "/").flatMap { FileIdentity(path: String(place[...$0])) }
    }

    var hasFolder: Bool { Self.folder(of: place) != nil }

    /// Whether the folder of the place is the one that it was.
    var hasSameFolder: Bool {
      guard let folder = Self.folder(of: place) else { return false }
      return inode == nil || (device, inode) == (folder.device, folder.inode)
    }

    /// Whether both links are stored alike, and lead to the same path.
    func isAlike(_ other: Self?) -> Bool { target == other?.target && place == other?.place }
  }

  func link(at file: String) -> Link? { links?[file] }

  mutating func setLink(_ link: Link?, at file: String) {
    var all = links ?? [:]
    all[file] = link
    links = all.isEmpty ? nil : all
  }

  /// Nil when no program of ours has written the file since the start of the system.
  /// - Parameter now: in microseconds since boot.
  func ownWrite(of file: String, now: UInt64 = Time.microsecondsSinceBoot()) -> UInt64? {
    ownWrites?[file].flatMap { $0 <= now || $0 == Self.underway ? $0 : nil }
  }

  private static let underway = UInt64(Int64.max)

  mutating func beginOwnWrite(of file: String) {
    endOwnWrite(of: file, at: Self.underway)
  }

  /// - Parameter time: in microseconds since boot.
  mutating func endOwnWrite(of file: String, at time: UInt64) {
    ownWrites = (ownWrites ?? [:]).merging([file: time]) { $1 }
  }

  /// - Returns: whether there were some.
  mutating func forgetOwnWrites(besides files: Set<String>) -> Bool {
    let kept = ownWrites?.filter { files.contains($0.key) } ?? [:]
    defer { ownWrites = kept.isEmpty ? nil : kept }
    return kept.count < ownWrites?.count ?? 0
  }

  private struct Pending: Codable {
    /// Not made by the user.
    var others: [AssociationChange] = []
    /// Made by the user.
    var chosen: [AssociationChange] = []
  }

  /// What was seen of the changes of a file that wait.
  func attribution(of file: String) -> AssociationComparison.Attribution {
    let found = pending?[file]
    return .init(others: found?.others ?? [], user: found?.chosen ?? [])
  }

  /// - Parameter attribution: nil when no changes wait.
  mutating func setPending(
    _ file: String, _ attribution: AssociationComparison.Attribution?
  ) {
    var all = pending ?? [:]
    all[file] = attribution.map { Pending(others: $0.others, chosen: $0.user) }
    pending = all.isEmpty ? nil : all
  }

  func isTooLarge(_ file: String) -> Bool { tooLarge?.contains(file) ?? false }

  mutating func setTooLarge(_ file: String, _ isTooLarge: Bool) {
    var all = tooLarge ?? []
    if isTooLarge { all.insert(file) } else { all.remove(file) }
    tooLarge = all.isEmpty ? nil : all
  }

  /// What is in the place of a file, such as "a folder"; nil for a file, or none.
  func kind(inPlaceOf file: String) -> String? { replaced?[file] }

  mutating func setKind(_ kind: String?, inPlaceOf file: String) {
    var all = replaced ?? [:]
    all[file] = kind
    replaced = all.isEmpty ? nil : all
  }

  var rule: DefaultsGuardRule { DefaultsGuardRule(allowed: allowed, undone: undone) }
}

/// A change of one file by another program.
struct GuardRecord: Codable {
  struct TakenBack: Codable {
    let change: AssociationChange
    let reason: DefaultsGuardRule.Reason
  }

  let number: Int
  /// In microseconds since 1970: the time of the file; the time when the guard saw the change for a removed file, and for
  /// one behind a symbolic link.
  let time: UInt64
  let file: String
  /// The contents before and after the change; nil for no file.
  let before: Data?
  var after: Data?
  /// Empty when one of the contents is no key file, and for a file that is too large to compare.
  var changes: [AssociationChange] = []
  var takenBack: [TakenBack] = []
  /// What the guard wanted to take back when the file could not be written; nil for nothing.
  var notTakenBack: [TakenBack]?
  /// How many times the file could not be written; nil for never.
  var failures: Int?
  /// The contents that the guard has written, or else `after`.
  var result: Data?
  /// Processes that had the file or its folder open, or had started shortly before the change; empty when none is
  /// known.
  let processes: [String]
  var isUndone = false
  /// Whether the file became too large to compare; nil for no.
  var isTooLarge: Bool?
  /// The kind of what replaced the file, such as "a folder"; nil for a file, or none.
  var replacedBy: String?
  /// Whether the guard has put the file back that was replaced; nil for no.
  var isPutBack: Bool?
  /// Whether the guard has written nothing, because another program had replaced the file before; nil for no.
  var isReplacedSince: Bool?
  /// Whether lines of the change were made again in a file with later changes, so that `result` is not what the change has
  /// led to; nil for no.
  var isKeptByLines: Bool?
  /// Whether the user has made the whole change, by `UserChoiceRule`; nil for no.
  var isByUser: Bool?
  /// When the guard saw the change, in microseconds since 1970; nil in records of earlier versions.
  var seen: UInt64?

  var timeSeen: UInt64 { seen ?? time }
}

/// The folder with the state of the guard of defaults. Use it only with the lock of `DesktopTask.alone`.
struct GuardFolder {
  private let path: String
  /// The maximum number of recorded changes; older ones are removed.
  static let most = 1000
  private static let largest = 64 << 20
  /// The maximum size of all recorded changes, in bytes; the oldest ones above are removed.
  private static let largestTogether: Int64 = 64 << 20

  init(_ folders: UserFolders) { path = folders.stateHome + "/launch-services/guard" }

  private var memoryFile: String { path + "/memory.plist" }
  private func file(_ number: Int) -> String { "\(path)/changes/\(number).plist" }

  /// Nil when the guard was never on.
  func memory() throws(CommandFailure) -> GuardMemory? { try read(memoryFile) }

  func write(_ memory: GuardMemory) throws(CommandFailure) { try write(memory, to: memoryFile) }

  func record(_ number: Int) throws(CommandFailure) -> GuardRecord? { try read(file(number)) }

  func write(_ record: GuardRecord) throws(CommandFailure) {
    try write(record, to: file(record.number))
    try? AtomicFile.remove(file(record.number - Self.most))
    var size: Int64 = 0
    for number in numbers().reversed() {
      size += (try? FileStamp(path: file(number)))?.size ?? 0
      if size > Self.largestTogether, number != record.number {
        try? AtomicFile.remove(file(number))
      }
    }
  }

  func remove(_ number: Int) { try? AtomicFile.remove(file(number)) }

  /// The numbers of the recorded changes, in order.
  private func numbers() -> [Int] {
    let names = (try? FolderListing(of: path + "/changes"))?.names ?? []
    return names.compactMap { Int($0.split(separator: ".").first ?? "") }.sorted()
  }

  /// The recorded changes, oldest first.
  func records() throws(CommandFailure) -> [GuardRecord] {
    var records: [GuardRecord] = []
    for number in numbers() {
      if let record = try record(number) { records.append(record) }
    }
    return records
  }

  private func read<Contents: Decodable>(_ path: String) throws(CommandFailure) -> Contents? {
    do {
      let bytes = try RegularFile.readOwn(path, atMost: Self.largest)
      return try OwnPropertyList.decode(Contents.self, from: bytes)
    } catch let error as FileError where error.errno == .noSuchFile {
      return nil
    } catch {
      throw CommandFailure(
        .failed,
        "\(path) cannot be used: \(error); remove the file, and turn the guard off and on again")
    }
  }

  private func write(_ contents: some Encodable, to path: String) throws(CommandFailure) {
    do throws(FileError) {
      try AtomicFile.write(OwnPropertyList.encode(contents), to: path)
    } catch {
      throw CommandFailure(.failed, error.description)
    }
  }
}
