/// What the thread of the record is given to do.
enum RecordTask: Sendable {
  /// - Parameter ticket: told when they are written; 0 when nobody waits.
  case write([RequestEntry], ticket: UInt64)
  case reserve(UInt64)
  case started(RunningProcess)
  case ended(pid: Int32)
  case begin(ProcessStart, ticket: UInt64)
  case endStart(application: String, seat: Int)
  case ask(@Sendable (RecordFile) -> Void)

  /// 0 for one that nobody waits for.
  var ticket: UInt64 {
    switch self {
    case .write(_, let ticket), .begin(_, let ticket): ticket
    case .reserve, .started, .ended, .endStart, .ask: 0
    }
  }

  /// It needs no transaction.
  var isOneStatement: Bool {
    if case .write(let entries, _) = self { entries.count == 1 } else { true }
  }

  /// Writes it.
  func perform(on record: RequestRecord, now: UInt64) throws(DatabaseError) {
    switch self {
    case .write(let entries, _): try record.write(entries, now: now)
    case .reserve(let number): try record.reserve(number)
    case .started(let process): try record.add(process)
    case .ended(let pid): try record.remove(pid: pid)
    case .begin(let start, _): try record.begin(start)
    case .endStart(let application, let seat): try record.endStart(of: application, seat: seat)
    case .ask: break
    }
  }
}

/// What this process knows of what the record must hold, so that it can be made anew.
struct RecordMemory {
  var reserved: UInt64 = 0
  var running: [Int32: RunningProcess] = [:]
  private var starts: [Instance: ProcessStart] = [:]
  /// The newest named ones, by their numbers, and those that could not be written.
  private(set) var entries: [UInt64: RequestEntry] = [:]
  private(set) var unwritten: Set<UInt64> = []
  private static let most = 1000

  private struct Instance: Hashable {
    var application: String
    var seat: Int
  }

  mutating func note(_ task: RecordTask) {
    switch task {
    case .write(let entries, _): for entry in entries where entry.name != nil { note(entry) }
    case .reserve(let number): reserved = number
    case .started(let process): running[process.pid] = process
    case .ended(let pid): running[pid] = nil
    case .begin(let start, _):
      starts[.init(application: start.application, seat: start.seat)] = start
    case .endStart(let application, let seat):
      starts[.init(application: application, seat: seat)] = nil
    case .ask: break
    }
  }

  private mutating func note(_ entry: RequestEntry) {
    entries[entry.number] = entry
    // What is under way ends soon.
    guard entries.count > 2 * Self.most else { return }
    let settled = entries.values.filter { $0.progress == .settled }.map(\.number).sorted()
    for number in settled.dropLast(Self.most / 2) { entries[number] = nil }
    if entries.count > 2 * Self.most {
      for number in entries.keys.sorted().dropLast(Self.most) { entries[number] = nil }
    }
    unwritten.formIntersection(entries.keys)
  }

  mutating func couldNotWrite(_ tasks: ArraySlice<RecordTask>) {
    for case .write(let all, _) in tasks {
      unwritten.formUnion(all.lazy.filter { $0.name != nil }.map(\.number))
    }
    unwritten.formIntersection(entries.keys)
  }

  mutating func wroteAll() { unwritten = [] }

  func find(_ name: RequestName) -> RequestEntry? {
    guard !unwritten.isEmpty else { return nil }
    return unwritten.lazy.compactMap { self.entries[$0] }.first { $0.name == name }
  }

  func findParts(of call: RequestName) -> [RequestEntry] {
    guard !unwritten.isEmpty else { return [] }
    return unwritten.lazy.compactMap { self.entries[$0] }.filter {
      $0.name?.isPart(of: call) ?? false
    }
  }

  /// Writes all of it.
  func write(to record: RequestRecord, now: UInt64) throws(DatabaseError) {
    if reserved > 0 { try record.reserve(reserved) }
    for process in running.values { try record.add(process) }
    for start in starts.values { try record.begin(start) }
    try record.write(entries.keys.sorted().compactMap { entries[$0] }, now: now)
  }

  /// Reads what the daemon before this one knew of processes, as far as it can be read.
  mutating func read(_ record: RequestRecord) {
    reserved = (try? record.lastNumber()) ?? 0
    for process in (try? record.running()) ?? [] { note(.started(process)) }
    for start in (try? record.starts()) ?? [] { note(.begin(start, ticket: 0)) }
  }

  var survivors: [RunningProcess] {
    running.values.sorted { ($0.seat, $0.pid) < ($1.seat, $1.pid) }
  }

  var unfinishedStarts: [ProcessStart] {
    starts.values.sorted { ($0.seat, $0.application) < ($1.seat, $1.application) }
  }
}
