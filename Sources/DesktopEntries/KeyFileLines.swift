/// The lines of a key file. Changes single lines and keeps all others: GLib would write the file with other
/// blank lines and without blanks around `=`.
///
/// The caller must check the result with GLib.
struct KeyFileLines {
  private var lines: [[UInt8]]
  private let newline = UInt8(ascii: "\n")

  init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: newline, omittingEmptySubsequences: false).map(Array.init)
  }

  var bytes: [UInt8] { Array(lines.joined(separator: [newline])) }

  mutating func set(_ key: String, in group: String, to value: String) {
    let line = Array("\(key)=\(value)".utf8)
    let place = place(of: key, in: group)
    if let index = place.key {
      // Keeps the blanks around `=` and the end of the line.
      let old = lines[index]
      let equals = old.firstIndex(of: UInt8(ascii: "=")) ?? old.startIndex
      let start = old[(equals + 1)...].firstIndex { !Self.isBlank($0) } ?? old.endIndex
      let end = old.last == UInt8(ascii: "\r") ? [UInt8(ascii: "\r")] : []
      lines[index] = old[..<start] + Array(value.utf8) + end
    } else if let last = place.last {
      lines.insert(line, at: last + 1)
    } else {
      if lines.last == [] { lines.removeLast() }
      if !lines.isEmpty { lines.append([]) }
      lines += [Array("[\(group)]".utf8), line, []]
    }
  }

  mutating func remove(_ key: String, in group: String) {
    if let index = place(of: key, in: group).key { lines.remove(at: index) }
  }

  /// The line of the key, and the last line of the group that is neither empty nor a comment. A group and a
  /// key may occur more than once: the last one counts.
  private func place(of key: String, in group: String) -> (key: Int?, last: Int?) {
    let header = Array("[\(group)]".utf8)
    var place: (key: Int?, last: Int?)
    var isInside = false
    for (index, line) in lines.enumerated() {
      let text = Self.trimmed(line[...])
      if text.first == UInt8(ascii: "[") { isInside = text.elementsEqual(header) }
      guard isInside, let first = text.first, first != UInt8(ascii: "#") else { continue }
      place.last = index
      if let equals = text.firstIndex(of: UInt8(ascii: "=")),
        Self.trimmed(text[..<equals]).elementsEqual(key.utf8)
      {
        place.key = index
      }
    }
    return place
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line.drop(while: isBlank)
    while let last = line.last, isBlank(last) { line.removeLast() }
    return line
  }
}
