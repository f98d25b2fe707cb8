internal import Host

/// What is at the path of a guarded list.
enum ListContents: Equatable {
  case none
  case file([UInt8])
  /// A file that is too large to compare.
  case tooLarge
  /// No regular file: its kind, such as "a folder".
  case other(String)

  /// Whether the contents can be compared.
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
struct ObservedWrites {
  /// One write, or several in a row with the same programs by which the user may have made the change.
  struct Write {
    var contents: ListContents
    var witness: ProcessWitness
  }

  /// By the path of the list.
  private var writes: [String: [Write]] = [:]
  /// The processes at the events of writes that had not ended.
  private var unfinished: ProcessWitness?
  private var (count, size) = (0, 0)
  /// The number of looks, and the time of the last one, in monotonic microseconds.
  private var looks = (count: 0, last: UInt64(0))

  /// Whether the lists are to be compared before more is seen.
  var isFull: Bool { count >= Self.most || size >= Self.largest }

  private static let most = 32
  /// In bytes.
  private static let largest = 16 << 20

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

  /// Adds a look at the processes, and the lists of which a write has ended.
  mutating func add(_ witness: ProcessWitness, _ lists: [String: ListContents]) {
    var all = unfinished ?? ProcessWitness()
    all.add(witness)
    unfinished = lists.isEmpty ? all : nil
    for (path, contents) in lists {
      var known = writes[path] ?? []
      if let last = known.last, last.contents == contents { continue }
      if let last = known.last, last.witness.choosers == all.choosers {
        known[known.count - 1].contents = contents
        known[known.count - 1].witness.add(all)
      } else {
        known.append(Write(contents: contents, witness: all))
        count += 1
      }
      size += contents.bytes?.count ?? 0
      writes[path] = known
    }
  }

  /// All writes of a list, also the one that had not ended.
  /// - Parameter present: what is at the path now.
  func writes(of path: String, until present: ListContents) -> [Write] {
    let known = writes[path] ?? []
    if let last = known.last, last.contents == present { return known }
    return known + [Write(contents: present, witness: unfinished ?? ProcessWitness())]
  }
}
