import Foundation

/// A folder of one test; removed with everything in it.
package final class TemporaryFolder: Sendable {
  /// Without symbolic links.
  package let path: String

  package init() throws {
    let made = NSTemporaryDirectory() + "/tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
    guard let resolved = made.resolved else { throw CocoaError(.fileNoSuchFile) }
    path = resolved
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package subscript(name: String) -> String { path + "/" + name }

  @discardableResult package func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(
      atPath: self[name], withIntermediateDirectories: true)
    return self[name]
  }

  /// Writes a file and makes the folders above it.
  /// - Returns: the path.
  @discardableResult package func write(_ text: String, to name: String) throws -> String {
    let file = URL(fileURLWithPath: self[name])
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return self[name]
  }

  package func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path)
  }
}

extension String {
  /// Without symbolic links; nil when no file is there.
  package var resolved: String? {
    guard let resolved = unsafe realpath(self, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
