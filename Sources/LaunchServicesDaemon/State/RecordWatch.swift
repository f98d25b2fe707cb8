internal import Host
internal import Records

/// Sees that the files of the record go from their place, also while nothing is written.
final class RecordWatch {
  private let path: String
  private var watch: FileWatch?
  var onChange: () -> Void = {}

  init(_ path: String) { self.path = path }

  /// Watches the file that has the name now. Without watches it is seen with the next write.
  func begin() {
    watch = try? FileWatch(path) { [weak self] in self?.onChange() }
  }
}
