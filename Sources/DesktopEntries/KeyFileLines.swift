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

  /// The change of one key.
  struct Edit {
    let group: String
    let key: String
    /// Nil to remove the line.
    let value: String?
  }

  /// Changes some lines, in time for the lines and the edits together.
  /// - Parameter edits: of different keys.
  mutating func apply(_ edits: [Edit]) {
    var wanted: [String: [String: Edit]] = [:]
    for edit in edits { wanted[edit.group, default: [:]][edit.key] = edit }
    var places = places(of: wanted)
    var new = lines.map { [$0] }
    for edit in edits {
      guard let index = places.keys[edit.group]?[edit.key] else { continue }
      new[index] = edit.value.map { [Self.line(lines[index], with: $0)] } ?? []
    }
    var more: [[UInt8]] = []
    var newGroups: Set<String> = []
    for edit in edits where places.keys[edit.group]?[edit.key] == nil {
      guard let value = edit.value else { continue }
      let line = Array("\(edit.key)=\(value)".utf8)
      if let members = places.members[edit.group] {
        // After the last line that stays.
        let last = members.last { !new[$0].isEmpty } ?? members[0]
        places.members[edit.group] = [last]
        new[last].append(line)
      } else if newGroups.insert(edit.group).inserted {
        let others = edits.filter {
          $0.group == edit.group && places.keys[$0.group]?[$0.key] == nil
        }
        more += [[], Array("[\(edit.group)]".utf8)]
        more += others.compactMap { other in
          other.value.map { Array("\(other.key)=\($0)".utf8) }
        }
      }
    }
    lines = Array(new.joined())
    guard !more.isEmpty else { return }
    if lines.last == [] { lines.removeLast() }
    lines += lines.isEmpty ? Array(more.dropFirst()) : more
    lines.append([])
  }

  /// Keeps the blanks around `=` and the end of the line.
  private static func line(_ old: [UInt8], with value: String) -> [UInt8] {
    let equals = old.firstIndex(of: UInt8(ascii: "=")) ?? old.startIndex
    let start = old[(equals + 1)...].firstIndex { !isBlank($0) } ?? old.endIndex
    let end = old.last == UInt8(ascii: "\r") ? [UInt8(ascii: "\r")] : []
    return old[..<start] + Array(value.utf8) + end
  }

  /// The lines of the keys, and of each of their groups the lines that are neither empty nor comments. A group and a key may
  /// occur more than once: the last one counts.
  private func places(
    of wanted: [String: [String: Edit]]
  ) -> (keys: [String: [String: Int]], members: [String: [Int]]) {
    var keys: [String: [String: Int]] = [:]
    var members: [String: [Int]] = [:]
    var group: String?
    for (index, line) in lines.enumerated() {
      let text = Self.trimmed(line[...])
      if text.first == UInt8(ascii: "[") {
        let name = text.last == UInt8(ascii: "]") ? text.dropFirst().dropLast() : []
        group = String(validating: name, as: UTF8.self).flatMap { wanted[$0] == nil ? nil : $0 }
      }
      guard let group, let first = text.first, first != UInt8(ascii: "#") else { continue }
      members[group, default: []].append(index)
      if let equals = text.firstIndex(of: UInt8(ascii: "=")),
        let key = String(validating: Self.trimmed(text[..<equals]), as: UTF8.self),
        wanted[group]?[key] != nil
      {
        keys[group, default: [:]][key] = index
      }
    }
    return (keys, members)
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
