/// Finds the lines of keys and values in an XML property list that was decoded, for editors and annotations. Nothing is
/// decided by a line: where the file is written in an unusual way, no line is found.
package struct PropertyListLines {
  private var lines: [String: Int] = [:]

  /// - Parameter bytes: the contents of the file. No line is found in a binary property list.
  package init(_ bytes: [UInt8]) {
    guard !bytes.starts(with: "bplist".utf8) else { return }
    var reader = Reader(bytes: bytes)
    reader.read()
    lines = reader.lines
  }

  /// The line of a value, from 1, or of the nearest value around it that was found.
  /// - Parameter keyPath: a path such as `CFBundleURLTypes[0].CFBundleURLSchemes[2]`.
  package func line(of keyPath: String) -> Int? {
    var path = keyPath[...]
    while !path.isEmpty {
      if let line = lines[String(path)] { return line }
      let end = path.lastIndex { $0 == "." || $0 == "[" } ?? path.startIndex
      path = path[..<end]
    }
    return nil
  }

  /// Follows the tags. A key path is kept for each value.
  private struct Reader {
    let bytes: [UInt8]
    var lines: [String: Int] = [:]
    private var place = 0
    private var line = 1
    private var open: [Container] = []
    private static let mostLines = 100_000

    init(bytes: [UInt8]) { self.bytes = bytes }

    private enum Container {
      case dictionary(path: String, key: String)
      case array(path: String, count: Int)
    }

    mutating func read() {
      while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
        advance(to: start + 1)
        if bytes[place...].starts(with: "!--".utf8) {
          advance(after: Array("-->".utf8))
          continue
        }
        guard let end = bytes[place...].firstIndex(of: UInt8(ascii: ">")) else { return }
        let inside = bytes[place..<end]
        let isEmpty = inside.last == UInt8(ascii: "/")
        let name = (isEmpty ? inside.dropLast() : inside).prefix { !" \t\r\n".utf8.contains($0) }
        take(String(decoding: name, as: UTF8.self), isEmpty: isEmpty, textFrom: end + 1)
        advance(to: end + 1)
        guard place < bytes.count, lines.count < Self.mostLines else { return }
      }
    }

    private mutating func take(_ tag: String, isEmpty: Bool, textFrom start: Int) {
      switch tag {
      case "key" where !isEmpty:
        let text = String(
          decoding: bytes[start...].prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self)
        guard case .dictionary(let path, _)? = open.popLast() else { return }
        open.append(.dictionary(path: path, key: text))
      case "dict", "array":
        let path = newValue()
        guard !isEmpty else { return }
        open.append(tag == "dict" ? .dictionary(path: path, key: "") : .array(path: path, count: 0))
      case "/dict", "/array": _ = open.popLast()
      case "string", "integer", "real", "true", "false", "data", "date": _ = newValue()
      default: break
      }
    }

    /// The key path of the value that begins here.
    private mutating func newValue() -> String {
      let path: String
      switch open.popLast() {
      case .dictionary(let parent, let key)?:
        path = parent.isEmpty ? key : "\(parent).\(key)"
        open.append(.dictionary(path: parent, key: key))
      case .array(let parent, let count)?:
        path = "\(parent)[\(count)]"
        open.append(.array(path: parent, count: count + 1))
      case nil: path = ""
      }
      if lines[path] == nil { lines[path] = line }
      return path
    }

    private mutating func advance(to next: Int) {
      let end = min(next, bytes.count)
      for byte in bytes[place..<end] where byte == UInt8(ascii: "\n") { line += 1 }
      place = end
    }

    private mutating func advance(after text: [UInt8]) {
      var next = place
      while next < bytes.count, !bytes[next...].starts(with: text) { next += 1 }
      advance(to: next + text.count)
    }
  }
}
