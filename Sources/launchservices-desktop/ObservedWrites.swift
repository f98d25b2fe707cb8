internal import DesktopEntries
internal import Host
internal import LaunchRules

/// What is at the path of a guarded list.
enum ListContents: Equatable {
  case none
  case file([UInt8])
  /// A file that is too large to compare.
  case tooLarge
  /// No regular file: its kind, such as "a folder".
  case other(String)

  /// Whether GIO reads defaults there, also when there is no file.
  var isKeyFile: Bool {
    switch self {
    case .none: true
    case .file(let bytes): (try? EditedAssociations(bytes)) != nil
    case .tooLarge, .other: false
    }
  }

  /// Whether `bytes` are what a list has: no bytes are no list.
  var isComparable: Bool {
    switch self {
    case .none, .file: true
    case .tooLarge, .other: false
    }
  }

  /// Nil for no file, and for one that cannot be compared.
  var bytes: [UInt8]? {
    if case .file(let bytes) = self { bytes } else { nil }
  }
}

/// What the guard has seen of the lists since its last comparison.
///
/// The processes that were seen at the events of a file count for this file only, and for the list to which the file is
/// renamed: a copy beside the list says nothing about who writes the list.
struct ObservedWrites {
  /// One write, or several in a row with the same programs by which the user may have made the change.
  struct Write {
    var contents: ListContents
    var witness: ProcessWitness
    /// Before the contents were read, in microseconds since boot.
    var time: UInt64
  }

  /// By the path of the list.
  private var writes: [String: [Write]] = [:]
  /// The processes at the events of writes that had not ended, by the path of the file.
  private var unfinished: [String: ProcessWitness] = [:]
  /// The same of files that have lost their names in a renaming, of which the other event is still to come.
  private var renamed: [UInt32: ProcessWitness] = [:]
  private var (count, size) = (0, 0)
  /// The number of looks, and the time of the last one, in monotonic microseconds.
  private var looks = (count: 0, last: UInt64(0))

  /// Whether the lists are to be compared before more is seen.
  var isFull: Bool { count >= Self.most || size >= Self.largest }

  private static let most = 32
  /// In bytes.
  private static let largest = 16 << 20
  /// Maximum number of files beside the lists, and of renamings.
  private static let mostBeside = 64

  /// Whether the processes may be looked at now. Some looks follow each other at once; of a program that writes without end,
  /// a part of the writes is seen.
  mutating func mayLook(at now: UInt64) -> Bool {
    guard looks.count < Self.mostLooks || now - looks.last >= Self.leastPause else { return false }
    looks = (looks.count + 1, now)
    return true
  }

  private static let mostLooks = 100
  /// In microseconds.
  private static let leastPause: UInt64 = 50_000

  /// Forgets the writes of all lists but some, which are compared again.
  mutating func keep(_ lists: Set<String>) {
    var kept = ObservedWrites()
    kept.writes = writes.filter { lists.contains($0.key) }
    kept.unfinished = unfinished.filter { lists.contains($0.key) }
    kept.count = kept.writes.values.reduce(0) { $0 + $1.count }
    for write in kept.writes.values.joined() { kept.size += write.contents.bytes?.count ?? 0 }
    self = kept
  }

  /// Adds events of the files of a folder.
  /// - Parameters:
  ///   - time: of the look at the processes, in microseconds since boot.
  ///   - witness: what the look has shown about a file; nil when the processes were not looked at.
  ///   - links: the lists whose symbolic links lead to files of the folder, by the names of these files.
  ///   - contents: reads a list; nil when the list cannot be read.
  mutating func add(
    _ events: [FileWatch.Event], in folder: String, at time: UInt64,
    links: [String: [String]] = [:], _ witness: ((_ path: String) -> ProcessWitness)?,
    contents: (_ path: String) -> ListContents?
  ) {
    var lists: [String: ListContents] = [:]
    for event in events {
      guard let name = event.name else { continue }
      let path = "\(folder)/\(name)"
      let paths = links[name] ?? (DesktopTask.isGuarded(name) ? [path] : [])
      let isList = !paths.isEmpty
      var all = unfinished.removeValue(forKey: path) ?? ProcessWitness()
      for list in paths {
        if let witness = unfinished.removeValue(forKey: list) { all.add(witness) }
      }
      // What is renamed replaces what was at the path.
      if case .to(let number) = event.renaming {
        all = renamed.removeValue(forKey: number) ?? ProcessWitness()
      }
      let seen = witness?(path)
      if let seen { all.add(seen) }
      if case .from(let number) = event.renaming {
        if renamed.count < Self.mostBeside { renamed[number] = all }
        all = seen ?? ProcessWitness()
      }
      guard event.isWritten, isList, seen != nil else {
        let isGone = event.isGone && !isList
        if isList {
          for list in paths { unfinished[list] = all }
        } else if !isGone, unfinished.count < Self.mostBeside {
          unfinished[path] = all
        }
        continue
      }
      for list in paths {
        if lists[list] == nil { lists[list] = contents(list) }
        if let contents = lists[list] {
          add(Write(contents: contents, witness: all, time: time), to: list)
        }
      }
    }
  }

  /// A program that has ended counts for a second write by another program, too, and the first one is to be kept then.
  private static func isOne(_ first: Write, _ second: Write) -> Bool {
    let choosers = first.witness.choosers
    guard choosers == second.witness.choosers else { return false }
    return UserChoiceRule.isOneWrite(
      associations(of: first).changes(to: associations(of: second)), by: choosers)
  }

  private static func associations(of write: Write) -> Associations {
    (try? EditedAssociations(write.contents.bytes ?? []).associations) ?? Associations()
  }

  private mutating func add(_ write: Write, to path: String) {
    var known = writes[path] ?? []
    if let last = known.last, last.contents == write.contents { return }
    if let last = known.last, isFull || Self.isOne(last, write) {
      size += (write.contents.bytes?.count ?? 0) - (last.contents.bytes?.count ?? 0)
      var both = write
      both.witness = last.witness
      both.witness.add(write.witness)
      // With several writers, a program counts for both writes when it was seen at both.
      both.witness.choosers = last.witness.choosers.intersection(write.witness.choosers)
      known[known.count - 1] = both
    } else if isFull {
      return
    } else {
      known.append(write)
      (count, size) = (count + 1, size + (write.contents.bytes?.count ?? 0))
    }
    writes[path] = known
  }

  /// All writes of a list, also the one that had not ended.
  /// - Parameters:
  ///   - present: what is at the path now.
  ///   - own: the time of the last write by a program of ours, in microseconds since boot: earlier writes do not count.
  func writes(
    of path: String, until present: ListContents, after own: UInt64? = nil
  ) -> [Write] {
    let known = (writes[path] ?? []).filter { $0.time >= own ?? 0 }
    if let last = known.last, last.contents == present { return known }
    let witness = unfinished[path] ?? ProcessWitness()
    return known
      + [Write(contents: present, witness: witness, time: Time.microsecondsSinceBoot())]
  }
}
