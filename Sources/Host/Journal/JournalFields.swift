/// One entry in the native protocol of systemd's journal.
///
/// Each value is preceded by its length, so that no value can inject a field.
extension JournalEntry {
  /// The name of a field for `journalctl`, such as `LAUNCH_SERVICES_APPLICATION` for `application`.
  /// Characters that the journal does not allow become `_`. A name has at most 64 characters.
  static func fieldName(_ key: String) -> String {
    let name = key.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    return String(("LAUNCH_SERVICES_" + String(name)).prefix(64))
  }

  /// The message is the whole line, as in the output without fields. Values are unchanged and cut at 4096
  /// bytes each.
  func datagram(program: String) -> [UInt8] {
    var bytes: [UInt8] = []
    Self.append("PRIORITY", Array("\(level.priority)".utf8)[...], to: &bytes)
    Self.append("SYSLOG_IDENTIFIER", Array(program.utf8)[...], to: &bytes)
    Self.append("MESSAGE", body(after: "")[...], to: &bytes)
    let printed = Set(values.map(\.key))
    let others = subject.filter { !printed.contains($0.key) }.sorted { $0.key < $1.key }
    for (key, value) in values.map({ ($0, $1) }) + others.map({ ($0, $1) }) {
      let value = Array(value.utf8)
      Self.append(
        Self.fieldName(key),
        value.count > Self.longest ? Self.cut(value, to: Self.longest) : value[...],
        to: &bytes)
    }
    return bytes
  }

  private static func append(_ name: String, _ value: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    bytes += Array(name.utf8) + [UInt8(ascii: "\n")]
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: UInt64(value.count) >> UInt64(shift)))
    }
    bytes += value + [UInt8(ascii: "\n")]
  }
}
