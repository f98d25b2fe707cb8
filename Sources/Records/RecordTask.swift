/// A task of the thread of the record.
enum RecordTask: Sendable {
  /// - Parameter ticket: reported when the entries are written; 0 for no report.
  case write([RequestEntry], ticket: UInt64)
  /// - Parameter ticket: reported when the number is written.
  case reserve(UInt64, ticket: UInt64)
  case started(RunningProcess)
  case ended(pid: Int32)
  case begin(ProcessStart, ticket: UInt64)
  case endStart(application: String, slot: Int)
  case beginSession(StartedSession)
  case endSession(Int32)
  case ask(@Sendable (RecordFile) -> Void)

  /// 0 for a task without a report.
  var ticket: UInt64 {
    switch self {
    case .write(_, let ticket), .begin(_, let ticket), .reserve(_, let ticket): ticket
    case .started, .ended, .endStart, .beginSession, .endSession, .ask: 0
    }
  }

  /// The task is one statement and needs no transaction.
  var isOneStatement: Bool {
    if case .write(let entries, _) = self { entries.count == 1 } else { true }
  }

  /// Runs the task.
  func perform(on record: RequestRecord, now: UInt64) throws(DatabaseError) {
    switch self {
    case .write(let entries, _): try record.write(entries, now: now)
    case .reserve(let number, _): try record.reserve(number)
    case .started(let process): try record.add(process)
    case .ended(let pid): try record.remove(pid: pid)
    case .begin(let start, _): try record.begin(start)
    case .endStart(let application, let slot): try record.endStart(of: application, slot: slot)
    case .beginSession(let session): try record.add(session)
    case .endSession(let number): try record.remove(session: number)
    case .ask: break
    }
  }
}

/// The part of the record that is kept in memory, so that a removed file can be made again.
struct RecordMemory {
  var reserved: UInt64 = 0
  var running: [Int32: RunningProcess] = [:]
  private var starts: [Instance: ProcessStart] = [:]
  private(set) var sessions: [Int32: StartedSession] = [:]
  /// The newest requests with an identifier and the requests whose write has failed, by their numbers.
  private(set) var entries: [UInt64: RequestEntry] = [:]
  /// The numbers of the requests whose write has failed.
  private(set) var unwritten: Set<UInt64> = []
  private static let most = 1000

  private struct Instance: Hashable {
    var application: String
    var slot: Int
  }

  mutating func record(_ task: RecordTask) {
    switch task {
    case .write(let entries, _): for entry in entries where entry.name != nil { record(entry) }
    case .reserve(let number, _): reserved = number
    case .started(let process): running[process.pid] = process
    case .ended(let pid): running[pid] = nil
    case .begin(let start, _):
      starts[.init(application: start.application, slot: start.slot)] = start
    case .endStart(let application, let slot):
      starts[.init(application: application, slot: slot)] = nil
    case .beginSession(let session): sessions[session.number] = session
    case .endSession(let number): sessions[number] = nil
    case .ask: break
    }
  }

  private mutating func record(_ entry: RequestEntry) {
    entries[entry.number] = entry
    // Requests under way are few and settle soon.
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
      // Those without a name are not in memory yet.
      for entry in all where entry.name == nil { record(entry) }
      unwritten.formUnion(all.map(\.number))
    }
    unwritten.formIntersection(entries.keys)
  }

  mutating func wroteAll() { unwritten = [] }

  func find(_ name: RequestName) -> RequestEntry? {
    guard !unwritten.isEmpty else { return nil }
    return unwritten.lazy.compactMap { self.entries[$0] }.first { $0.name == name }
  }

  /// The requests whose write has failed.
  var unwrittenEntries: [RequestEntry] { unwritten.compactMap { entries[$0] } }

  func findParts(of call: RequestName) -> [RequestEntry] {
    guard !unwritten.isEmpty else { return [] }
    return unwritten.lazy.compactMap { self.entries[$0] }.filter {
      $0.name?.isPart(of: call) ?? false
    }
  }

  /// Writes everything to a new file.
  func write(to record: RequestRecord, now: UInt64) throws(DatabaseError) {
    if reserved > 0 { try record.reserve(reserved) }
    for process in running.values { try record.add(process) }
    for start in starts.values { try record.begin(start) }
    for session in sessions.values { try record.add(session) }
    try record.write(entries.keys.sorted().compactMap { entries[$0] }, now: now)
  }

  /// Reads the processes that the earlier daemon recorded, as far as they can be read.
  mutating func read(_ file: RequestRecord) {
    reserved = (try? file.lastNumber()) ?? 0
    for process in (try? file.running()) ?? [] { record(.started(process)) }
    for start in (try? file.starts()) ?? [] { record(.begin(start, ticket: 0)) }
    for session in (try? file.sessions()) ?? [] { record(.beginSession(session)) }
  }

  var survivors: [RunningProcess] {
    running.values.sorted { ($0.slot, $0.pid) < ($1.slot, $1.pid) }
  }

  var unfinishedStarts: [ProcessStart] {
    starts.values.sorted { ($0.slot, $0.application) < ($1.slot, $1.application) }
  }
}
