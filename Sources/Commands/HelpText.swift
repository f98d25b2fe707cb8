/// What `--help` prints.
package struct HelpText {
  private var lines: [String]

  /// `usage` holds one line for each way to write the command, `purpose` says what it does.
  package init(usage: [String], purpose: [String]) {
    lines = zip(["Usage: "] + Array(repeating: "       ", count: usage.count), usage).map(+)
    lines += purpose
  }

  /// Adds a table under a heading; `cells` are its two columns, left and right in turn.
  package mutating func section(_ title: String, _ cells: [String]) {
    let rows = stride(from: 0, to: cells.count - 1, by: 2).map {
      ["  " + cells[$0], cells[$0 + 1]]
    }
    lines += ["", title + ":"] + Columns.lines(rows)
  }

  package mutating func options<Option: CommandOption>(_ options: [Option]) {
    let shown = options.map(\.spelling).filter { !$0.isHidden }
    section("Options", shown.flatMap { [$0.synopsis, $0.help] })
  }

  package func print(to output: Output) { output.print(lines) }
}
