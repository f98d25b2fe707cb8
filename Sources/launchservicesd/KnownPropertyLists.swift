internal import ApplicationFolders
internal import Host
internal import LaunchRules

/// What is known of all property lists.
nonisolated struct KnownPropertyLists: Sendable {
  var readings = PropertyListTable()
  var executables = ExecutableIndex()

  mutating func take(_ change: ReadingChange) {
    // Of nothing: it would copy the table when somebody else has it as well.
    if !change.known.isEmpty { readings.reserveCapacity(readings.count + change.known.count) }
    for path in change.forgotten { readings.remove(path) }
    for record in change.known { readings.insert(record) }
    for record in change.installing { executables.insert(record) }
  }

  /// The one application whose executable the process runs.
  mutating func application(running executable: ProcessDetails.Executable) -> BundleIdentifier? {
    executables.application(running: executable, readings)
  }
}
