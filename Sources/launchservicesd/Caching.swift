internal import ApplicationFolders
internal import Host
internal import LaunchRules

// The cache of what was read.

extension RegistryKeeper {
  nonisolated static func read(_ cache: RecordCache) async -> PropertyListTable {
    await Task.detached { cache.read() ?? PropertyListTable() }.value
  }

  func writeCacheSoon() {
    guard writesCache == nil else { return }
    writesCache = Deadline(after: .seconds(10)) { [weak self] in self?.writeCache() }
  }

  private func writeCache() {
    writesCache = nil
    let (cache, journal, records) = (cache, journal, Array(readings.records))
    Task.detached { Self.write(records, to: cache, journal) }
  }

  /// The daemon ends: what would be written soon is written now.
  func stop() {
    guard writesCache != nil else { return }
    writesCache = nil
    Self.write(Array(readings.records), to: cache, journal)
  }

  private nonisolated static func write(
    _ records: [ApplicationRecord], to cache: RecordCache, _ journal: Journal
  ) {
    do throws(FileError) {
      try cache.write(records)
    } catch {
      journal.info("the next start reads every property list", ["reason": "\(error)"])
    }
  }
}
