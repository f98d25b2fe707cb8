internal import ApplicationFolders
internal import Host
internal import LaunchRules

/// Reads the cache of property lists at the start, and writes the cache with a delay after changes.
final class RecordCacheWriter {
  private static let delay: Duration = .seconds(10)

  private let cache: RecordCache
  private let journal: Journal
  private let records: () -> [ApplicationRecord]
  /// The deadline for the next write; nil without unwritten changes.
  private var pending: Deadline?

  /// - Parameter records: returns the records to be written.
  init(_ cache: RecordCache, _ journal: Journal, records: @escaping () -> [ApplicationRecord]) {
    self.cache = cache
    self.journal = journal
    self.records = records
  }

  /// The contents of the cache file; empty without a usable file.
  nonisolated func read() async -> PropertyListTable {
    await Task.detached { [cache] in cache.read() ?? PropertyListTable() }.value
  }

  func writeSoon() {
    guard pending == nil else { return }
    pending = Deadline(after: Self.delay) { [weak self] in
      guard let self else { return }
      pending = nil
      let (cache, journal, records) = (cache, journal, records())
      Task.detached { Self.write(records, to: cache, journal) }
    }
  }

  /// Writes pending changes at once.
  func flush() {
    guard pending != nil else { return }
    pending = nil
    Self.write(records(), to: cache, journal)
  }

  private nonisolated static func write(
    _ records: [ApplicationRecord], to cache: RecordCache, _ journal: Journal
  ) {
    do throws(FileError) {
      try cache.write(records)
    } catch {
      journal.info(
        "the cache of property lists cannot be written; the next start reads every property list",
        ["reason": "\(error)"])
    }
  }
}
