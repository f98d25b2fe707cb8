extension String {
  /// This text on one line, with everything written out that would make a terminal act instead of
  /// show: control characters, line separators, and what turns the direction of a line around.
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
  var isHidden: Bool {
    switch value {
    case 0..<0x20, 0x7f..<0xa0, 0x200e...0x200f, 0x2028...0x202e, 0x2066...0x2069: true
    default: EscapedBytes.isEscape(self)
    }
  }
}
