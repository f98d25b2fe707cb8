extension ConfirmationRule.Situation {
  /// The question to the user, in one line.
  /// - Parameter subject: the URL in the form to be shown.
  package func sentence(_ subject: String) -> String {
    let opener =
      opener.map { Self.shown($0.declaration.visibleName) }
      ?? remote.map { "\($0.name.text) (another machine or a container)" }
      ?? (origin == .web ? "a web page" : "a program")
    let handler = Self.shown(handler.visibleName)
    // An invisible character may form one character with the colon before it.
    let rest = subject.onOneLine.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
    // A number that is missing, because the URL is handed on unchecked.
    let hasNumber = rest.contains { !$0.isWhitespace }
    return switch trigger {
    case .telephone where !hasNumber, .faceTime where !hasNumber, .handoff where !hasNumber:
      "Let \(opener) open \(Self.shown(subject)) with \(handler)?"
    case .handoff where scheme.text == "sms":
      "Let \(opener) write a message to \(Self.shown(String(rest))) with \(handler)?"
    case .telephone, .handoff: "Let \(opener) call \(Self.shown(String(rest))) with \(handler)?"
    case .faceTime:
      "Let \(opener) start a FaceTime call to \(Self.shown(String(rest))) with \(handler)?"
    case .device: "Let \(opener) open \(Self.shown(subject)) on the device \(handler)?"
    case .store, .system, .custom: "Let \(opener) open \(Self.shown(subject)) with \(handler)?"
    }
  }

  /// The text in one line, shortened to fit into a dialog.
  private static func shown(_ text: String) -> String {
    let line = text.onOneLine
    return line.count <= 200 ? line : line.prefix(199) + "…"
  }
}

extension String {
  /// The text with spaces for all invisible characters, including those that change the text direction or end
  /// a line.
  package var onOneLine: String {
    String(UnicodeScalarView(unicodeScalars.map { $0.isInvisible ? " " : $0 }))
  }
}
