internal import Host
internal import LaunchRules

/// Which application an executable belongs to.
///
/// Only an executable that stands for one application counts: not one that several name, and not an
/// interpreter that gets its program as an argument. Where the executables lie is found out with the first
/// question at the latest.
nonisolated struct ExecutableIndex {
  /// By the hash of where an executable really lies, also those that were replaced since.
  private var owners: [Int: [ApplicationRecord]] = [:]
  /// Not among the owners yet.
  private(set) var waiting: [ApplicationRecord] = []
  /// Grows with each time that the first of those that wait were taken in.
  private(set) var turn = 0
  private var size = 0

  /// Takes in that there is another application now.
  mutating func insert(_ record: ApplicationRecord) { waiting.append(record) }

  /// The one application whose executable the process runs.
  /// - Parameter readings: what the property lists say now.
  mutating func application(
    running executable: ProcessDetails.Executable, _ readings: PropertyListTable
  ) -> BundleIdentifier? {
    catchUp(readings)
    // The path alone may be a lie of a mount namespace; the file it names here must be the same.
    guard let owners = owners[executable.path.hashValue], !executable.isDeleted,
      FileIdentity(path: executable.path) == executable.identity
    else { return nil }
    let named = owners.filter {
      readings[like: $0] == $0 && Self.executables(of: $0).contains(executable.path)
    }
    let applications = Set(named.compactMap(\.identifier))
    return applications.count == 1 ? applications.first : nil
  }

  private mutating func catchUp(_ readings: PropertyListTable) {
    if size + waiting.count > 2 * readings.count + 1000 {
      // Most of it is of the past.
      owners = [:]
      size = 0
      waiting = Array(readings.records)
    }
    if !waiting.isEmpty { take(Self.locate(waiting), insteadOf: waiting.count, in: turn) }
  }

  /// With the hash of where each executable lies.
  nonisolated static func locate(
    _ records: [ApplicationRecord]
  ) -> [(hash: Int, owner: ApplicationRecord)] {
    records.flatMap { record in executables(of: record).map { ($0.hashValue, record) } }
  }

  /// Takes in where the executables of the first that wait lie, unless somebody else has since `turn`.
  mutating func take(
    _ located: [(hash: Int, owner: ApplicationRecord)], insteadOf count: Int, in turn: Int
  ) {
    guard turn == self.turn else { return }
    self.turn += 1
    for (hash, owner) in located { owners[hash, default: []].append(owner) }
    size += located.count
    waiting.removeFirst(count)
  }

  private nonisolated static func executables(of record: ApplicationRecord) -> [String] {
    switch record.application?.declaration.program {
    case .executable(let candidates): candidates.compactMap { realPath($0) }
    case .arguments(let arguments) where arguments.count == 1:
      arguments[0].hasPrefix("/") ? [arguments[0]].compactMap { realPath($0) } : []
    case .arguments, .missing, nil: []
    }
  }
}
