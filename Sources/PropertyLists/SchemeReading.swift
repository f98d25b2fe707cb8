internal import LaunchRules

/// The reason why a text is not a scheme, for the author of the property list.
struct SchemeMistake {
  /// A sentence without its full stop.
  let problem: String
  /// The correction, as an imperative.
  let advice: String

  /// Nil when the text is a scheme.
  init?(_ expansion: BuildVariables.Expansion) {
    let text = expansion.text
    if !expansion.unresolved.isEmpty {
      self.init("\(text.quoted) contains \(expansion.unresolvedPhrase)", expansion.remedy)
      return
    }
    if URLScheme(text) != nil { return nil }
    let shown = text.quoted
    if text.isEmpty {
      self.init("is empty", "write the name of a scheme, such as myapp")
    } else if text.utf8.count > URLScheme.longest {
      self.init(
        "\(shown) has \(text.utf8.count) characters",
        "a scheme has at most \(URLScheme.longest)")
    } else if let template = text.unfilledTemplate {
      self.init(
        "\(shown) contains the unfilled placeholder \(template.quoted)",
        "put the scheme in its place")
    } else if let colon = text.firstIndex(of: ":"), URLScheme(String(text[..<colon])) != nil {
      let tail = text[colon...]
      let isBare = tail == ":" || tail == "://" || tail == ":/"
      self.init(
        isBare
          ? "\(shown) ends with \"\(tail)\", which is not part of a scheme"
          : "\(shown) is a URL, not a scheme",
        "write \(String(text[..<colon]).quoted) alone")
    } else if text.contains("*") {
      self.init("\(shown) contains \"*\", but there are no wildcards (R3.7)", "name each scheme")
    } else if text.contains(where: \.isWhitespace) {
      self.init("\(shown) contains a blank, which no scheme may", "remove it")
    } else if let first = text.utf8.first, first.isASCIIDigit {
      self.init(
        "\(shown) begins with a digit and is no scheme", "a scheme begins with a letter (R2.1)")
    } else {
      self.init(
        "\(shown) is not a scheme",
        "a scheme is a letter, then letters, digits, \"+\", \"-\" and \".\" (R2.1)")
    }
  }

  private init(_ problem: String, _ advice: String) {
    self.problem = problem
    self.advice = advice
  }
}

extension String {
  /// A placeholder that a build step should have replaced: `{NAME}`, `%%NAME%%`, `@NAME@`, `<NAME>`.
  var unfilledTemplate: String? {
    for (open, close) in [("%%", "%%"), ("@", "@"), ("{", "}"), ("<", ">")] {
      guard let start = firstRange(of: open),
        let end = self[start.upperBound...].firstRange(of: close),
        end.lowerBound > start.upperBound
      else { continue }
      return String(self[start.lowerBound..<end.upperBound])
    }
    return nil
  }
}
