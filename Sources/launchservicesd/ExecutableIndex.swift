internal import Host
internal import LaunchRules

/// Which application an executable belongs to.
///
/// Only an executable that stands for one application counts: not one that several name, and not an
/// interpreter that gets its program as an argument. Where the executables lie is found out when the first
/// question comes, as it takes longer than all the rest of a start.
struct ExecutableIndex {
  /// By the hash of where an executable really lies, also those that were replaced since.
  private var owners: [Int: [ApplicationRecord]] = [:]
  /// Not among the owners yet.
  private var waiting: [ApplicationRecord] = []
  private var size = 0

  /// Takes in that there is another application now.
  mutating func insert(_ record: ApplicationRecord) { waiting.append(record) }

  /// The one application whose executable the process runs.
  /// - Parameter readings: what the property lists say now.
  mutating func application(
    running executable: ProcessDetails.Executable, _ readings: PropertyListTable
  ) -> BundleIdentifier? {
    // The path alone may be a lie of a mount namespace; the file it names here must be the same.
    guard !executable.isDeleted, FileIdentity(path: executable.path) == executable.identity else {
      return nil
    }
    catchUp(readings)
    let named = (owners[executable.path.hashValue] ?? []).filter {
      readings[$0.propertyList] == $0 && Self.executables(of: $0).contains(executable.path)
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
    for record in waiting {
      for executable in Self.executables(of: record) {
        owners[executable.hashValue, default: []].append(record)
        size += 1
      }
    }
    waiting = []
  }

  private static func executables(of record: ApplicationRecord) -> [String] {
    switch record.application?.declaration.program {
    case .executable(let candidates): candidates.compactMap { realPath($0) }
    case .arguments(let arguments) where arguments.count == 1:
      arguments[0].hasPrefix("/") ? [arguments[0]].compactMap { realPath($0) } : []
    case .arguments, .missing, nil: []
    }
  }
}
