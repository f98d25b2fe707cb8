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
  private var waiting: [ApplicationRecord] = []
  /// Grows with each time that those that wait were taken in.
  private var turn = 0
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

  /// Finds out where the executables lie of all that wait, which takes long when they are very many.
  mutating func catchUp(_ readings: PropertyListTable) {
    if isOutdated(readings) {
      owners = [:]
      size = 0
      waiting = Array(readings.records)
    }
    for record in waiting {
      for path in Self.executables(of: record) {
        owners[path.hashValue, default: []].append(record)
        size += 1
      }
    }
    if !waiting.isEmpty { turn += 1 }
    waiting = []
  }

  /// Most of it is of the past.
  private func isOutdated(_ readings: PropertyListTable) -> Bool {
    size + waiting.count > 2 * readings.count + 1000
  }

  /// Better caught up with elsewhere than when somebody asks.
  func isFarBehind(_ readings: PropertyListTable) -> Bool {
    waiting.count > 100 || isOutdated(readings)
  }

  /// Takes in an index that caught up elsewhere, unless this one has caught up since.
  /// - Parameter start: what that one began as, and this one was then.
  mutating func take(_ other: Self, since start: Self) {
    guard turn == start.turn else { return }
    let rest = waiting.dropFirst(start.waiting.count)
    self = other
    waiting += rest
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
