/// Writes old-style property lists, as `simctl listapps` prints them.
enum OldStylePropertyList {
  indirect enum Value {
    case text(String)
    case dictionary([(key: String, value: Value)])
    case array([Value])
  }

  static func lines(_ value: Value) -> [String] {
    text(value, margin: "").split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
  }

  private static func text(_ value: Value, margin: String) -> String {
    let inner = margin + "    "
    switch value {
    case .text(let text): return quote(text)
    case .array(let values):
      return "(\n" + values.map { inner + Self.text($0, margin: inner) }.joined(separator: ",\n")
        + (values.isEmpty ? "" : "\n") + margin + ")"
    case .dictionary(let entries):
      return "{\n"
        + entries.map { "\(inner)\(quote($0.key)) = \(Self.text($0.value, margin: inner));\n" }
        .joined() + margin + "}"
    }
  }

  /// A word of letters, digits and `_` stays as it is.
  private static func quote(_ text: String) -> String {
    let isWord =
      !text.isEmpty
      && text.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_")
      }
    if isWord { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20 || scalar.value > 0x7E:
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          quoted += "\\U" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
