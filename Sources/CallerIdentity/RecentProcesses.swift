internal import Host

/// The facts about processes that were identified a moment ago.
///
/// Reading the ancestors and the environment of a process takes the time of all callers, and a process can connect
/// again and again. What the process itself can change, such as its program, is compared each time.
struct RecentProcesses {
  private struct Entry {
    let process: ProcessDetails
    let facts: CallerTable.Facts
    /// In microseconds since boot.
    let time: UInt64
  }

  private var entries: [Int32: Entry] = [:]
  /// The time for which facts are kept, in microseconds.
  private static let age: UInt64 = 1_000_000
  private static let most = 256

  /// - Parameter now: in microseconds since boot.
  mutating func add(
    _ facts: CallerTable.Facts, of process: ProcessDetails,
    now: UInt64 = Time.microsecondsSinceBoot()
  ) {
    if entries.count >= Self.most { entries = [:] }
    entries[process.pid] = Entry(process: process, facts: facts, time: now)
  }

  /// - Parameters:
  ///   - process: as it is now.
  ///   - now: in microseconds since boot.
  mutating func facts(
    of process: ProcessDetails, now: UInt64 = Time.microsecondsSinceBoot()
  ) -> CallerTable.Facts? {
    guard let entry = entries[process.pid] else { return nil }
    let old = entry.process
    guard now - entry.time < Self.age, old.startTime == process.startTime,
      old.parent == process.parent, old.session == process.session,
      old.executable == process.executable, old.controlGroup == process.controlGroup,
      old.hasTerminal == process.hasTerminal, old.name == process.name
    else {
      entries[process.pid] = nil
      return nil
    }
    return entry.facts
  }
}
