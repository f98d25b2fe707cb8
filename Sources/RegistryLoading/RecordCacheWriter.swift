internal import ApplicationFolders
internal import Host
internal import LaunchRules

/// Reads the cache at the start, and writes what was read of the property lists to it some time after that has
/// changed.
final class RecordCacheWriter {
  private static let delay: Duration = .seconds(10)

  private let cache: RecordCache
  private let journal: Journal
  private let records: () -> [ApplicationRecord]
  /// Set while a change waits to be written.
  private var pending: Deadline?

  /// - Parameter records: gives what is to be written.
  init(_ cache: RecordCache, _ journal: Journal, records: @escaping () -> [ApplicationRecord]) {
    self.cache = cache
    self.journal = journal
    self.records = records
  }

  /// What was written last; nothing when there is no usable file.
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

  /// Writes now what would be written soon.
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
