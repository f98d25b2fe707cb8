internal import Host
internal import Records

/// Sees that the files of the record go from their place, also while nothing is written.
final class RecordWatch {
  private let path: String
  private var watch: FileWatch?
  var onChange: () -> Void = {}
  /// Called when the files of the record were removed and are there again: other files of the state folder may have
  /// been removed with them.
  var onRecovery: () -> Void = {}

  init(_ path: String) { self.path = path }

  /// Watches the file that has the name now. Without watches it is seen with the next write.
  func begin() {
    watch = try? FileWatch(path) { [weak self] in self?.onChange() }
  }
}
