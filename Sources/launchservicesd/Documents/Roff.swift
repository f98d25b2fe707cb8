/// Text of a manual page.
nonisolated enum Roff {
  private static let width = 78

  /// Escapes backslashes and hyphens, so that roff prints them unchanged.
  static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
  }

  /// Lines of text, in which each sentence begins a new line; text between backticks becomes bold.
  static func sentences(_ text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    var isBold = false
    for word in text.split(separator: " ") {
      var shown = ""
      for character in word {
        if character == "`" {
          isBold.toggle()
          shown += isBold ? "\\fB" : "\\fR"
        } else {
          shown += escaped(String(character))
        }
      }
      if !line.isEmpty, line.count + 1 + shown.count > width {
        lines.append(line)
        line = ""
      }
      if line.isEmpty {
        // roff reads a line that begins with one of these as a request.
        line = (shown.hasPrefix(".") || shown.hasPrefix("'") ? "\\&" : "") + shown
      } else {
        line += " " + shown
      }
      if word.hasSuffix(".") {
        lines.append(line)
        line = ""
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
