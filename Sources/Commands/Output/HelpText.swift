/// The output of `--help`.
package struct HelpText {
  /// Width of the output in columns.
  private static let width = 80
  /// Maximum width of the left column of a table.
  private static let widestLeft = 28

  private var lines: [String]

  /// `usage` has one line per form of the command; `purpose` describes the command.
  package init(usage: [String], purpose: [String]) {
    lines = zip(["Usage: "] + Array(repeating: "       ", count: usage.count), usage).map(+)
    for paragraph in purpose.split(separator: "", omittingEmptySubsequences: false) {
      if !paragraph.isEmpty { lines += Self.filled(paragraph.joined(separator: " "), Self.width) }
      lines.append("")
    }
    lines.removeLast()
  }

  /// Wraps words into lines of at most `width` columns.
  private static func filled(_ text: String, _ width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if line.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(line) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  /// Adds a table with a heading; `cells` contains left and right cells alternately.
  package mutating func section(_ title: String, _ cells: [String]) {
    let rows = stride(from: 0, to: cells.count - 1, by: 2).map { (cells[$0], cells[$0 + 1]) }
    let left = min(rows.map(\.0.count).max() ?? 0, Self.widestLeft)
    lines += ["", title + ":"]
    for (name, text) in rows {
      let texts = Self.filled(text, Self.width - left - 4)
      let isLong = name.count > left
      let padding = String(repeating: " ", count: max(0, left - name.count) + 2)
      lines.append("  " + name + (isLong ? "" : padding + texts[0]))
      let margin = String(repeating: " ", count: left + 4)
      lines += texts.dropFirst(isLong ? 0 : 1).map { margin + $0 }
    }
  }

  package mutating func options<Option: CommandOption>(_ options: [Option]) {
    let shown = options.map(\.spelling).filter { !$0.isHidden }
    section("Options", shown.flatMap { [$0.synopsis, $0.help] })
  }

  package func print(to output: Output) { output.print(lines) }
}
