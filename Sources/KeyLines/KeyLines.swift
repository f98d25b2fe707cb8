/// The lines of keys in JSON and in XML property lists, for messages.
///
/// Only finds places: a decoder reads the values, and decides whether the text is valid. In a text that is not valid,
/// places may be missing. Pure, and linear in the length of the text.
package struct KeyLines: Sendable {
  /// The line of each key and of each element of an array, by its path, such as `steps[2].expect.handler`.
  private var lines: [String: Int] = [:]

  /// Nesting beyond which places are left out.
  static let deepest = 64

  /// A text that is neither JSON nor XML, such as a binary property list, has no lines.
  package init(_ text: [UInt8]) {
    let isMarked = text.starts(with: [0xEF, 0xBB, 0xBF])
    switch text.dropFirst(isMarked ? 3 : 0).first(where: { !isBlank($0) }) {
    case UInt8(ascii: "{"), UInt8(ascii: "["): lines = JSONKeyLines.read(text)
    case UInt8(ascii: "<"): lines = XMLKeyLines.read(text)
    default: break
    }
  }

  /// The line of a value, from 1; the line of what is around the value if the value has none. Nil for a text without
  /// lines.
  package func line(of path: String) -> Int? {
    var rest = Substring(path)
    while !rest.isEmpty {
      if let line = lines[String(rest)] { return line }
      guard let end = rest.lastIndex(where: { $0 == "." || $0 == "[" }) else { break }
      rest = rest[..<end]
    }
    return lines[""]
  }
}

/// The path of a key in a container.
func path(_ key: String, in container: String) -> String {
  container.isEmpty ? key : "\(container).\(key)"
}

/// The path of an element of an array.
func path(_ index: Int, in container: String) -> String { "\(container)[\(index)]" }

func isBlank(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}
