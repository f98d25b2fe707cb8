/// The lines of a key file, of which single ones are changed and all others stay as they are: GLib
/// writes a file anew with other blank lines and without the blanks around `=`.
///
/// Only a proposal: whoever uses it has GLib read the outcome.
struct KeyFileLines {
  private var lines: [[UInt8]]
  private let newline = UInt8(ascii: "\n")

  init(_ bytes: [UInt8]) {
    lines = bytes.split(separator: newline, omittingEmptySubsequences: false).map(Array.init)
  }

  var bytes: [UInt8] { Array(lines.joined(separator: [newline])) }

  mutating func set(_ key: String, in group: String, to value: String) {
    let line = Array("\(key)=\(value)".utf8)
    if let index = index(of: key, in: group) {
      // The blanks around `=` and the end of the line stay.
      let old = lines[index]
      let equals = old.firstIndex(of: UInt8(ascii: "=")) ?? old.startIndex
      let start = old[(equals + 1)...].firstIndex { !Self.isBlank($0) } ?? old.endIndex
      let end = old.last == UInt8(ascii: "\r") ? [UInt8(ascii: "\r")] : []
      lines[index] = old[..<start] + Array(value.utf8) + end
    } else if let range = range(of: group) {
      let last = range.last { !Self.isBlankOrComment(lines[$0]) } ?? range.lowerBound
      lines.insert(line, at: last + 1)
    } else {
      if lines.last == [] { lines.removeLast() }
      if !lines.isEmpty { lines.append([]) }
      lines += [Array("[\(group)]".utf8), line, []]
    }
  }

  /// Removes the key, and its group when nothing is left in that.
  mutating func remove(_ key: String, in group: String) {
    guard let index = index(of: key, in: group) else { return }
    lines.remove(at: index)
    guard let range = range(of: group),
      range.dropFirst().allSatisfy({ lines[$0].allSatisfy(Self.isBlank) })
    else { return }
    let isLast = range.upperBound == lines.count
    // The blank line before a group belongs to it, or the one after it.
    let hasBlankBefore = range.lowerBound > 0 && lines[range.lowerBound - 1].isEmpty
    lines.removeSubrange(
      (isLast && hasBlankBefore ? range.lowerBound - 1 : range.lowerBound)..<range.upperBound)
    if isLast, !lines.isEmpty { lines.append([]) }
  }

  /// From the line of its name to before that of the next group.
  private func range(of group: String) -> Range<Int>? {
    let header = Array("[\(group)]".utf8)
    guard let start = lines.firstIndex(where: { Self.trimmed($0[...]).elementsEqual(header) })
    else {
      return nil
    }
    let next = lines[(start + 1)...].firstIndex { Self.trimmed($0[...]).first == UInt8(ascii: "[") }
    return start..<(next ?? lines.count)
  }

  private func index(of key: String, in group: String) -> Int? {
    range(of: group)?.first { index in
      let line = lines[index]
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return false }
      return Self.trimmed(line[..<equals]).elementsEqual(key.utf8)
    }
  }

  private static func isBlankOrComment(_ line: [UInt8]) -> Bool {
    let first = trimmed(line[...]).first
    return first == nil || first == UInt8(ascii: "#")
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
