internal import Glibc
internal import LaunchRules

/// An empty file in the folder of the login session which shows that a record of requests was made.
///
/// When the record, its folder, or both files of the record are removed while no daemon runs, the next daemon
/// would take the lost record for a record that was never made, and open a repeated request a second time.
struct RecordTrace {
  let path: String

  /// - Parameters:
  ///   - folder: the folder of the login session, `$XDG_RUNTIME_DIR`.
  ///   - record: the path of the record. Each record has its own trace.
  init(in folder: String, of record: String) {
    var hash = FNV1a()
    hash.add(bytesOf: record)
    path = "\(folder)/launch-services/record-\(String(hash.value, radix: 16))"
  }

  var exists: Bool { unsafe access(path, F_OK) == 0 }

  func make() {
    let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
    unsafe mkdir(String(folder), 0o700)
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    if file >= 0 { close(file) }
  }
}
