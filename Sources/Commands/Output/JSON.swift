package import DBus

/// Writes D-Bus values as JSON in one line: with sorted keys, structures as objects where the contract names
/// their members, and terminal control characters as escapes.
///
/// A separate implementation, because FoundationEssentials adds 0.3 ms to the start of a command.
package enum JSON {
  package static func text(_ value: Value) -> String { write(value, members: nil) }
  package static func text(_ options: Options) -> String { text(.options(options)) }

  /// The names of the members of structures, by key.
  private static let members = [
    "trail": ["state", "microseconds"],
    "steps": ["name", "sentence"],
    "shortcut-items": ["type", "title"],
  ]

  private static func write(_ value: Value, members: [String]?) -> String {
    switch value {
    case .byte(let number): String(number)
    case .boolean(let boolean): String(boolean)
    case .int16(let number): String(number)
    case .uint16(let number): String(number)
    case .int32(let number): String(number)
    case .uint32(let number): String(number)
    case .int64(let number): String(number)
    case .uint64(let number): String(number)
    case .double(let number): number.isFinite ? String(number) : "null"
    case .string(let text): quote(text)
    case .objectPath(let path): quote(path.text)
    case .signature(let signature): quote(signature.text)
    case .descriptor: "null"
    case .variant(let inner): write(inner, members: members)
    case .array(let element, let entries) where element.text.hasPrefix("{"): object(entries)
    case .array(_, let elements): list(elements.map { write($0, members: members) })
    case .structure(let parts):
      if let members, members.count == parts.count {
        "{" + zip(members, parts).map { quote($0) + ":" + text($1) }.joined(separator: ",") + "}"
      } else {
        list(parts.map(text))
      }
    case .dictionaryEntry: object([value])
    }
  }

  private static func list(_ elements: [String]) -> String {
    "[" + elements.joined(separator: ",") + "]"
  }

  private static func object(_ entries: [Value]) -> String {
    var pairs: [(key: String, value: String)] = []
    for case .dictionaryEntry(let key, let value) in entries {
      let name = key.asString ?? text(key)
      pairs.append((quote(name), write(value, members: members[name])))
    }
    pairs.sort { $0.key < $1.key }
    return "{" + pairs.map { $0.key + ":" + $0.value }.joined(separator: ",") + "}"
  }

  private static func quote(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _ where EscapedBytes.isEscape(scalar): quoted += "\u{FFFD}"
      case _ where scalar.isHidden:
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
