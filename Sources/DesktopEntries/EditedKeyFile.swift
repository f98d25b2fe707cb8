/// A key file of which single lines are changed: all other lines stay as they are.
struct EditedKeyFile {
  /// The keys, as GLib reads them.
  private(set) var keys: KeyFile
  /// The contents of the file.
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) throws(DesktopFailure) {
    keys = try KeyFile(bytes)
    self.bytes = bytes
  }

  /// Changes one line; if GLib reads other values than expected, GLib writes the whole file.
  /// - Parameter value: nil to remove the line.
  mutating func set(_ key: String, in group: String, to value: String?) {
    var lines = KeyFileLines(bytes)
    if let value {
      lines.set(key, in: group, to: value)
      keys.setValue(key, in: group, to: value)
    } else {
      lines.remove(key, in: group)
      keys.remove(key, in: group)
    }
    let isRight = (try? KeyFile(lines.bytes))?.hasSameKeys(as: keys) ?? false
    bytes = isRight ? lines.bytes : keys.bytes
  }
}
