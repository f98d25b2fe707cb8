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

  /// The only application with this executable; `.ofNobody` when there is none or more than one.
  /// - Parameter readings: the current contents of the property lists.
  mutating func owner(
    of executable: ProcessDetails.Executable, _ readings: PropertyListTable
  ) -> CallerRule.Executable {
    catchUp(readings)
    let owners = (owners[executable.path.hashValue] ?? []).filter { readings[like: $0] == $0 }
    // An update has replaced the file. No file at the path shows that the process ran the application: a mount
    // namespace may have had another file there.
    if executable.isDeleted { return owners.first?.identifier.map { .replaced($0) } ?? .ofNobody }
    // In a mount namespace the same path may name another file, so the file identities are compared.
    guard !owners.isEmpty, PromptFile.identity(of: executable.path) == executable.identity else {
      return .ofNobody
    }
    let named = owners.filter { Self.executables(of: $0).contains(executable.path) }
    let applications = Set(named.compactMap(\.identifier))
    return applications.count == 1 ? applications.first.map { .of($0) } ?? .ofNobody : .ofNobody
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
    case .executable(let candidates): candidates.map { PromptFile.realPath($0) ?? $0 }
    case .arguments(let arguments) where arguments.count == 1:
      arguments[0].hasPrefix("/") ? [PromptFile.realPath(arguments[0]) ?? arguments[0]] : []
    case .arguments, .missing, nil: []
    }
  }
}
