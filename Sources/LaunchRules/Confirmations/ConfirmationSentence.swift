extension ConfirmationRule.Situation {
  /// The question to the user, in one line.
  /// - Parameter subject: the URL in the form to be shown.
  package func sentence(_ subject: String) -> String {
    let opener =
      opener.map { Self.shown($0.declaration.visibleName) }
      ?? remote.map {
        $0.name.map { "\($0.text) (another machine or a container)" }
          ?? "a container or a forwarded connection"
      }
      ?? (origin == .web ? "a web page" : "a program")
    let handler = Self.shown(handler.visibleName)
    // An invisible character may form one character with the colon before it.
    let callee = subject.onOneLine.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
    // A number that is missing, because the URL is handed on unchecked.
    let hasNumber = callee.contains { !$0.isWhitespace }
    let rest = Self.shown(String(callee), atMost: Self.longestCallee)
    // Otherwise a URL could contain words of the question.
    let url = Self.shown(subject.onOneLine.withoutBlanks)
    if self.handler.failure != nil { return "Let \(opener) learn that nothing here opens \(url)?" }
    return switch trigger {
    case .telephone where !hasNumber, .faceTime where !hasNumber, .handoff where !hasNumber:
      "Let \(opener) open \(url) with \(handler)?"
    case .handoff where scheme.text == "sms":
      "Let \(opener) write a message to \(rest) with \(handler)?"
    case .telephone, .handoff: "Let \(opener) call \(rest) with \(handler)?"
    case .faceTime: "Let \(opener) start a FaceTime call to \(rest) with \(handler)?"
    case .device: "Let \(opener) open \(url) on the device \(handler)?"
    case .store, .system, .custom: "Let \(opener) open \(url) with \(handler)?"
    }
  }

  /// Maximum length of a name and of most URLs, so that the question fits into a dialog.
  private static let longest = 200
  /// Longer than each callee that `CheckedURL` accepts: what is called is never shortened.
  private static let longestCallee = 300

  /// The text in one line, shortened.
  private static func shown(_ text: String, atMost limit: Int = longest) -> String {
    let line = text.onOneLine
    return line.count <= limit ? line : line.prefix(limit - 1) + "…"
  }
}

extension String {
  /// The text with each blank percent-encoded.
  fileprivate var withoutBlanks: String {
    reduce(into: "") { text, character in
      if character.isWhitespace {
        for byte in character.utf8 {
          text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
      } else {
        text.append(character)
      }
    }
  }

  /// The text with spaces for all invisible characters, including those that change the text direction or end
  /// a line.
  package var onOneLine: String {
    String(UnicodeScalarView(unicodeScalars.map { $0.isInvisible ? " " : $0 }))
  }
}
