/// Wraps text into lines.
package enum WrappedText {
  /// Lines of at most `width` columns. Words that are longer than a line are split.
  /// - Parameter indent: the number of blanks at the beginning of the first line; the other lines have two more.
  package static func lines(_ text: String, width: Int, indent: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    /// Ends the line, with the margin of its place.
    func end() {
      lines.append(String(repeating: " ", count: indent + (lines.isEmpty ? 0 : 2)) + line)
      line = ""
    }
    let room = max(1, width - indent - 2)
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > room { end() }
      line += line.isEmpty ? String(word) : " " + word
      while line.count > room {
        let rest = line.dropFirst(room)
        line = String(line.prefix(room))
        end()
        line = String(rest)
      }
    }
    if !line.isEmpty { end() }
    return lines
  }
}
