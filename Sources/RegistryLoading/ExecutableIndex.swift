internal import Host
internal import LaunchRules

/// Maps executables to the applications that they belong to.
///
/// Executables that several applications name, and interpreters that run a program given as argument, belong
/// to no application. The paths of new executables are resolved at the next lookup at the latest.
nonisolated struct ExecutableIndex {
  /// Applications by the hash of the real path of their executable. May contain outdated records.
  private var owners: [Int: [ApplicationRecord]] = [:]
  /// Applications that are not in `owners` yet.
  private var waiting: [ApplicationRecord] = []
  /// The number of calls of `catchUp` that added applications.
  private var turn = 0
  private var size = 0

  /// Adds an application.
  mutating func insert(_ record: ApplicationRecord) { waiting.append(record) }

  /// The only application with this executable; nil when there is none or more than one.
  /// - Parameter readings: the current contents of the property lists.
  mutating func application(
    running executable: ProcessDetails.Executable, _ readings: PropertyListTable
  ) -> BundleIdentifier? {
    catchUp(readings)
    // In a mount namespace the same path may name another file, so the file identities are compared.
    guard let owners = owners[executable.path.hashValue], !executable.isDeleted,
      FileIdentity(path: executable.path) == executable.identity
    else { return nil }
    let named = owners.filter {
      readings[like: $0] == $0 && Self.executables(of: $0).contains(executable.path)
    }
    let applications = Set(named.compactMap(\.identifier))
    return applications.count == 1 ? applications.first : nil
  }

  /// Resolves the executables of all new applications. Takes long when there are very many.
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

  /// Whether more than half of the index consists of outdated records.
  private func isOutdated(_ readings: PropertyListTable) -> Bool {
    size + waiting.count > 2 * readings.count + 1000
  }

  /// Whether `catchUp` should run on another thread before the next lookup.
  func isFarBehind(_ readings: PropertyListTable) -> Bool {
    waiting.count > 100 || isOutdated(readings)
  }

  /// Replaces this index by a copy that has caught up on another thread, unless this index has caught up
  /// since.
  /// - Parameter start: this index at the time when it was copied.
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
