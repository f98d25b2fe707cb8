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
    apply([.init(group: group, key: key, value: value)])
  }

  /// Changes some lines as `set` does.
  /// - Parameter edits: of different keys.
  mutating func apply(_ edits: [KeyFileLines.Edit]) {
    var lines = KeyFileLines(bytes)
    lines.apply(edits)
    for edit in edits {
      if let value = edit.value {
        keys.setValue(edit.key, in: edit.group, to: value)
      } else {
        keys.remove(edit.key, in: edit.group)
      }
    }
    let isRight = (try? KeyFile(lines.bytes))?.hasSameKeys(as: keys) ?? false
    bytes = isRight ? lines.bytes : keys.bytes
  }
}
