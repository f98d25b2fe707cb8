internal import LaunchRules

extension String {
  /// The text in one line, with escapes for characters that control a terminal or have no width: control
  /// characters, line separators, characters that change the text direction, and invisible characters.
  package var visible: String {
    guard unicodeScalars.contains(where: \.isHidden) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case _ where EscapedBytes.isEscape(scalar):
        text += "\\x" + String(EscapedBytes.byte(scalar), radix: 16)
      case _ where scalar.isHidden: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  var isHidden: Bool { isInvisible || EscapedBytes.isEscape(self) }
}
