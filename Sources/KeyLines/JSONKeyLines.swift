/// Finds the lines of keys in JSON.
struct JSONKeyLines {
  private let text: [UInt8]
  private var place = 0
  private var line = 1
  private var lines: [String: Int] = [:]

  /// A container that is not closed yet.
  private struct Open {
    let path: String
    let isArray: Bool
    /// Of the next element.
    var index = 0
  }

  static func read(_ text: [UInt8]) -> [String: Int] {
    var reader = JSONKeyLines(text: text)
    reader.read()
    return reader.lines
  }

  private init(text: [UInt8]) { self.text = text }

  private mutating func read() {
    var open: [Open] = []
    /// The path of the value that comes next.
    var next = ""
    var isKeyExpected = false
    while place < text.count {
      let byte = text[place]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard open.count < KeyLines.deepest else { return }
        record(next)
        let isArray = byte == UInt8(ascii: "[")
        open.append(Open(path: next, isArray: isArray))
        isKeyExpected = !isArray
        if isArray { next = path(0, in: next) }
        place += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        isKeyExpected = false
        place += 1
      case UInt8(ascii: ","):
        if var container = open.popLast() {
          container.index += 1
          if container.isArray { next = path(container.index, in: container.path) }
          isKeyExpected = !container.isArray
          open.append(container)
        }
        place += 1
      case UInt8(ascii: "\""):
        let start = line
        let string = string()
        if isKeyExpected, let container = open.last {
          next = path(string, in: container.path)
          lines[next] = lines[next] ?? start
          isKeyExpected = false
        } else {
          lines[next] = lines[next] ?? start
        }
      case 0x0A:
        line += 1
        place += 1
      case _ where isBlank(byte) || byte == UInt8(ascii: ":"): place += 1
      default:
        record(next)
        place += 1
      }
    }
  }

  private mutating func record(_ path: String) { lines[path] = lines[path] ?? line }

  /// The contents of the string that begins here, with simple escapes replaced; moves behind it.
  private mutating func string() -> String {
    var bytes: [UInt8] = []
    place += 1
    while place < text.count, text[place] != UInt8(ascii: "\"") {
      if text[place] == 0x0A { line += 1 }
      // An escaped key, which is rare, keeps its escapes: the path of a message then has no line of its own.
      if text[place] == UInt8(ascii: "\\"), place + 1 < text.count {
        bytes.append(text[place])
        place += 1
      }
      bytes.append(text[place])
      place += 1
    }
    place += 1
    return String(decoding: bytes, as: UTF8.self)
  }
}
