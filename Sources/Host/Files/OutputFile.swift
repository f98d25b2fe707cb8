internal import Glibc

/// A file, a pipe or a device to which a command writes its results.
package enum OutputFile {
  /// Replaces the contents; a reader may see a part of them.
  /// - Parameter path: an absolute path, also one such as `/dev/stderr`.
  package static func write(_ text: String, to path: String) throws(Errno) {
    let file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
    try file.writeAll(Array(text.utf8))
  }
}
