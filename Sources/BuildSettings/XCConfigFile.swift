/// The lines of an `.xcconfig` file.
///
/// A line is `NAME[CONDITION]... = VALUE`, `#include "PATH"` or `#include? "PATH"`. `//` begins a comment anywhere, also
/// inside a value. A value has one line; semicolons at its end are ignored.
struct XCConfigFile {
  enum Line: Hashable {
    case assignment(SettingAssignment)
    case include(path: String, isOptional: Bool, line: Int)
  }

  private(set) var lines: [Line] = []
  private(set) var problems: [SettingProblem] = []

  /// - Parameter path: the path of the file, for sources and problems.
  init(_ bytes: [UInt8], at path: String) {
    var bytes = bytes[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    let text = String(decoding: bytes, as: UTF8.self)
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      read(line, SettingSource(path, line: index + 1))
    }
  }

  private mutating func read(_ line: Substring, _ source: SettingSource) {
    let text = Self.withoutComment(line).trimmed
    guard !text.isEmpty else { return }
    if text.hasPrefix("#") { return readDirective(text, source) }
    guard let equals = Self.equals(in: text) else {
      return problem(source, "the line is neither NAME = VALUE nor an #include")
    }
    var head = text[..<equals].trimmed
    var conditions: [SettingCondition] = []
    if let bracket = head.firstIndex(of: "[") {
      guard let read = Self.conditions(head[bracket...]) else {
        return problem(source, "the condition \(head[bracket...]) is not [KEY=VALUE]")
      }
      conditions = read
      head = head[..<bracket].trimmed
    }
    guard !head.isEmpty, head.utf8.allSatisfy(\.isSettingNameByte) else {
      return problem(source, "\"\(head)\" is not the name of a build setting")
    }
    var value = text[text.index(after: equals)...].trimmed
    while value.hasSuffix(";") { value = value.dropLast().trimmed }
    // `$()` is empty; it is written between two slashes, which would begin a comment.
    lines.append(
      .assignment(
        SettingAssignment(
          String(head), String(value).replacing("$()", with: ""), conditions: conditions,
          source: source)))
  }

  private mutating func readDirective(_ text: Substring, _ source: SettingSource) {
    for (word, isOptional) in [("#include?", true), ("#include", false)]
    where text.hasPrefix(word) {
      let path = text.dropFirst(word.count).trimmed
      guard path.count > 2, path.hasPrefix("\""), path.hasSuffix("\"") else {
        return problem(source, "\(word) needs a path in quotes")
      }
      lines.append(
        .include(
          path: String(path.dropFirst().dropLast()), isOptional: isOptional, line: source.line ?? 0)
      )
      return
    }
    problem(source, "\"\(text)\" is not a directive; the only one is #include")
  }

  private mutating func problem(_ source: SettingSource, _ text: String) {
    problems.append(SettingProblem(source, text))
  }

  private static func withoutComment(_ line: Substring) -> Substring {
    line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
  }

  /// The equals sign of the assignment; those in conditions do not count.
  private static func equals(in text: Substring) -> Substring.Index? {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "[": depth += 1
      case "]": depth -= 1
      case "=" where depth == 0: return index
      default: break
      }
    }
    return nil
  }

  /// Reads `[sdk=iphoneos*][arch=arm64]` and `[sdk=iphoneos*,arch=arm64]`; nil when it is something else.
  static func conditions(_ text: Substring) -> [SettingCondition]? {
    var conditions: [SettingCondition] = []
    var rest = text.trimmed
    while !rest.isEmpty {
      guard rest.first == "[", let end = rest.firstIndex(of: "]") else { return nil }
      for part in rest[rest.index(after: rest.startIndex)..<end].split(separator: ",") {
        let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        conditions.append(SettingCondition(String(sides[0].trimmed), String(sides[1].trimmed)))
      }
      rest = rest[rest.index(after: end)...].trimmed
    }
    return conditions
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Without white space at both ends.
  var trimmed: Substring {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return self[endIndex...] }
    return self[first...last]
  }
}

extension UInt8 {
  var isSettingNameByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
