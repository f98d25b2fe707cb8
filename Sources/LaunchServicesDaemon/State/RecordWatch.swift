internal import Host
internal import Records

/// Detects the removal of the record files, also while nothing is written.
final class RecordWatch {
  private let path: String
  private var watch: FileWatch?
  var onChange: () -> Void = {}
  /// Called when removed record files have been created again. Other files of the state folder may have been
  /// removed as well.
  var onRecovery: () -> Void = {}

  init(_ path: String) { self.path = path }

  /// Starts to watch the current record file. Without a watch, the next write detects the removal.
  func begin() {
    watch = try? FileWatch(path) { [weak self] in self?.onChange() }
  }

  func end() { watch = nil }
}
