/// Wraps text into lines.
package enum WrappedText {
  /// Lines of at most `width` columns. Words that are longer than a line are split.
  /// - Parameter indent: the number of blanks at the beginning of the first line; the other lines have two more.
  package static func lines(_ text: String, width: Int, indent: Int) -> [String] {
    var lines: [String] = []
    var (line, columns) = ("", 0)
    /// Ends the line, with the margin of its place.
    func end() {
      lines.append(String(repeating: " ", count: indent + (lines.isEmpty ? 0 : 2)) + line)
      (line, columns) = ("", 0)
    }
    let room = max(1, width - indent - 2)
    for word in text.split(separator: " ") {
      // A word that is longer than a line is a part for each line.
      var rest = word
      while !rest.isEmpty {
        let part = rest.prefix(room)
        rest = rest[part.endIndex...]
        let count = part.count
        if columns > 0, columns + 1 + count > room { end() }
        line += columns == 0 ? String(part) : " " + part
        columns += columns == 0 ? count : count + 1
      }
    }
    if columns > 0 { end() }
    return lines
  }
}
