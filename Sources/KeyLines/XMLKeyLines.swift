/// Finds the lines of keys in an XML property list.
struct XMLKeyLines {
  private let text: [UInt8]
  private var place = 0
  private var line = 1
  private var lines: [String: Int] = [:]
  private var open: [Open] = []

  /// A dictionary or an array that is not closed yet.
  private struct Open {
    let path: String
    let isArray: Bool
    /// Of the next element.
    var index = 0
    /// The last key of a dictionary.
    var key: String?
  }

  static func read(_ text: [UInt8]) -> [String: Int] {
    var reader = XMLKeyLines(text: text)
    reader.read()
    return reader.lines
  }

  private init(text: [UInt8]) { self.text = text }

  private mutating func read() {
    while place < text.count {
      guard text[place] == UInt8(ascii: "<") else {
        advance()
        continue
      }
      if begins("<!--") {
        skip(past: "-->")
      } else if begins("<![CDATA[") {
        skip(past: "]]>")
      } else if begins("<?") {
        skip(past: "?>")
      } else if begins("<!") {
        skip(past: ">")
      } else if begins("</") {
        let name = tag().name
        if name == "dict" || name == "array" { _ = open.popLast() }
      } else if !element() {
        return
      }
    }
  }

  /// Reads an opening tag. Returns false when the text is nested too deep.
  private mutating func element() -> Bool {
    let start = line
    let (name, isEmpty) = tag()
    switch name {
    case "plist": return true
    case "key":
      guard !open.isEmpty else { return true }
      let key = isEmpty ? "" : contents()
      open[open.count - 1].key = key
      let path = path(key, in: open[open.count - 1].path)
      lines[path] = lines[path] ?? start
    case "dict", "array":
      let path = nextPath()
      lines[path] = lines[path] ?? start
      guard !isEmpty else { return true }
      guard open.count < KeyLines.deepest else { return false }
      open.append(Open(path: path, isArray: name == "array"))
    default:
      let path = nextPath()
      lines[path] = lines[path] ?? start
    }
    return true
  }

  /// The path of the value that begins here.
  private mutating func nextPath() -> String {
    guard let container = open.last else { return "" }
    if container.isArray {
      open[open.count - 1].index += 1
      return path(container.index, in: container.path)
    }
    return path(container.key ?? "", in: container.path)
  }

  /// The text until the next tag, with the five named entities replaced.
  private mutating func contents() -> String {
    let start = place
    while place < text.count, text[place] != UInt8(ascii: "<") { advance() }
    var string = String(decoding: text[start..<place], as: UTF8.self)
    guard string.utf8.contains(UInt8(ascii: "&")) else { return string }
    for (name, character) in [
      ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
    ] {
      string = string.split(separator: name, omittingEmptySubsequences: false)
        .joined(separator: character)
    }
    return string
  }

  /// The tag that begins here; moves behind it.
  private mutating func tag() -> (name: String, isEmpty: Bool) {
    advance()
    if place < text.count, text[place] == UInt8(ascii: "/") { advance() }
    let start = place
    while place < text.count, text[place] != UInt8(ascii: ">"), text[place] != UInt8(ascii: "/"),
      !isBlank(text[place])
    { advance() }
    let name = String(decoding: text[start..<place], as: UTF8.self)
    while place < text.count, text[place] != UInt8(ascii: ">") { advance() }
    let isEmpty = place > start && place < text.count && text[place - 1] == UInt8(ascii: "/")
    if place < text.count { advance() }
    return (name, isEmpty)
  }

  private mutating func advance() {
    if text[place] == 0x0A { line += 1 }
    place += 1
  }

  private func begins(_ mark: StaticString) -> Bool {
    let bytes = Array(String(describing: mark).utf8)
    return place + bytes.count <= text.count
      && Array(text[place..<place + bytes.count]) == bytes
  }

  private mutating func skip(past mark: StaticString) {
    while place < text.count, !begins(mark) { advance() }
    for _ in 0..<mark.utf8CodeUnitCount where place < text.count { advance() }
  }
}
