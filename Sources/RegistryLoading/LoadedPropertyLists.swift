internal import ApplicationFolders
internal import Host
internal import LaunchRules

/// What is known of all property lists.
nonisolated struct LoadedPropertyLists: Sendable {
  private(set) var records = PropertyListTable()
  private var executables = ExecutableIndex()

  init() {}

  /// - Parameters:
  ///   - records: what was known before.
  ///   - current: those of them that are still what is on disk.
  init(_ records: PropertyListTable, current: [ApplicationRecord]) {
    self.records = records
    for record in current where record.holdsApplication { executables.insert(record) }
  }

  mutating func take(_ change: ReadingChange) {
    // Reserving copies a table that is shared, so not for nothing.
    if !change.known.isEmpty { records.reserveCapacity(records.count + change.known.count) }
    for path in change.forgotten { records.remove(path) }
    for record in change.known { records.insert(record) }
    for record in change.installing { executables.insert(record) }
  }

  mutating func remove(_ paths: [String]) {
    for path in paths { records.remove(path) }
  }

  // MARK: Executables

  /// The one application whose executable the process runs.
  mutating func application(running executable: ProcessDetails.Executable) -> BundleIdentifier? {
    executables.application(running: executable, records)
  }

  /// Many executables have not been located, which takes long.
  var mustLocateExecutables: Bool { executables.isFarBehind(records) }

  mutating func locateExecutables() { executables.catchUp(records) }

  /// Takes over the executables that a copy has located, unless this value has located them since.
  /// - Parameter start: this value as it was when it was copied.
  mutating func takeExecutables(of located: Self, since start: Self) {
    executables.take(located.executables, since: start.executables)
  }
}
