internal import LaunchRules

/// The level of an entry, most important first.
package enum JournalLevel: String, Hashable, Sendable, CaseIterable, Comparable {
  case error, warning, notice, info, debug

  /// The number of the level in syslog and sd-daemon(3).
  var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug: 7
    }
  }

  /// A more important level is smaller.
  package static func < (left: Self, right: Self) -> Bool { left.priority < right.priority }
}

/// One entry as text; always one line, whatever the values contain.
struct JournalEntry {
  let level: JournalLevel
  let message: String
  let values: KeyValuePairs<String, String>
  /// The values that are fields only and not printed.
  var subject: [String: String] = [:]

  /// The number of bytes that a pipe accepts atomically.
  static let longest = 4096

  /// The line with its line end, cut at 4096 bytes.
  func line(program: String, forJournal: Bool) -> [UInt8] {
    body(after: forJournal ? "<\(level.priority)>" : "\(program): \(level.rawValue): ")
      + [UInt8(ascii: "\n")]
  }

  /// The line without its line end, for which one of the 4096 bytes is reserved.
  func body(after prefix: String) -> [UInt8] {
    var text = prefix + Self.escaping(message)
    for (key, value) in values {
      if text.utf8.count > Self.longest { break }
      text += " \(key)=\(Self.quoting(value))"
    }
    var bytes = Array(text.utf8)
    if bytes.count >= Self.longest {
      bytes = Array(Self.cut(bytes, to: Self.longest - 4)) + Array("…".utf8)
    }
    return bytes
  }

  /// Does not cut inside a character.
  static func cut(_ bytes: [UInt8], to count: Int) -> ArraySlice<UInt8> {
    var end = count
    while end > 0, bytes[end] & 0xc0 == 0x80 { end -= 1 }
    return bytes[..<end]
  }

  /// The value as it is if that is unambiguous, else in quotation marks.
  private static func quoting(_ value: String) -> String {
    let isPlain = value.unicodeScalars.allSatisfy {
      $0.value > 0x20 && $0 != "\"" && $0 != "\\" && !$0.isInvisible
    }
    if isPlain, !value.isEmpty { return value }
    var quoted = "\""
    for scalar in value.unicodeScalars.prefix(longest) {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      append(scalar, to: &quoted)
    }
    return quoted + "\""
  }

  private static func escaping(_ message: String) -> String {
    var escaped = ""
    for scalar in message.unicodeScalars.prefix(longest) { append(scalar, to: &escaped) }
    return escaped
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar {
    case "\n": text += "\\n"
    case "\t": text += "\\t"
    case "\r": text += "\\r"
    case _ where scalar.isInvisible: text += "\\u{\(String(scalar.value, radix: 16))}"
    default: text.unicodeScalars.append(scalar)
    }
  }
}
