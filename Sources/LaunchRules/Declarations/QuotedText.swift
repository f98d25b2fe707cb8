extension String {
  /// The text in quotes, in one line of at most 80 characters, so that text from an unknown source is safe to
  /// print.
  package var quoted: String {
    let longest = 80
    var shown = ""
    for scalar in unicodeScalars.prefix(longest) {
      if scalar.isInvisible {
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    let isCut = unicodeScalars.dropFirst(longest).first != nil
    return "\"\(shown)\(isCut ? "…" : "")\""
  }
}
