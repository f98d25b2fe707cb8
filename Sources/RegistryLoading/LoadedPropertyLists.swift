internal import ApplicationFolders
internal import Host
internal import LaunchRules

/// The records of all known property lists, with the index of executables.
nonisolated struct LoadedPropertyLists: Sendable {
  private(set) var records = PropertyListTable()
  private var executables = ExecutableIndex()

  init() {}

  /// - Parameters:
  ///   - records: the records from the cache.
  ///   - current: those records that still match the files on disk.
  init(_ records: PropertyListTable, current: [ApplicationRecord]) {
    self.records = records
    for record in current where record.hasApplication { executables.insert(record) }
  }

  mutating func take(_ change: ReadingChange) {
    // Reserving copies a shared table, so it is skipped when nothing is added.
    if !change.known.isEmpty { records.reserveCapacity(records.count + change.known.count) }
    for path in change.forgotten { records.remove(path) }
    for record in change.known { records.insert(record) }
    for record in change.installing { executables.insert(record) }
  }

  mutating func remove(_ paths: [String]) {
    for path in paths { records.remove(path) }
  }

  // MARK: Executables

  /// The only application with this executable; see `ExecutableIndex.owner`.
  mutating func owner(of executable: ProcessDetails.Executable) -> CallerRule.Executable {
    executables.owner(of: executable, records)
  }

  /// Whether many executables have not been located yet. Locating them takes long.
  var mustLocateExecutables: Bool { executables.isFarBehind(records) }

  mutating func locateExecutables() { executables.catchUp(records) }

  /// Takes over the executables that a copy has located, unless this value has located executables since.
  /// - Parameter start: this value at the time when it was copied.
  mutating func takeExecutables(of located: Self, since start: Self) {
    executables.take(located.executables, since: start.executables)
  }
}
