package import LaunchRules

/// The result of checking a URL against the format of its scheme. Opens and explanations both use this type,
/// so that an explanation matches the open.
package struct CheckedURL: Hashable, Sendable {
  /// The URL that the application receives.
  package let text: String
  /// The reason why the application would do nothing with the URL, a phrase after "it"; nil when the URL is
  /// usable.
  package let problem: String?
  /// The text that the question to the user contains; nil for the URL.
  package let shown: String?
  /// One or more lines without full stops; empty when no rule covers the scheme.
  package let explanation: [String]

  /// Maximum length of a checked URL, in bytes; checking a longer URL would delay other calls.
  static let longest = 1 << 16
  /// Web URLs are passed on unchanged, because Maps and the other applications parse them themselves.
  private static let checkedSchemes: Set<String> = Set(
    MailtoURL.schemes + TelURL.schemes + FaceTimeURL.schemes + SMSURL.schemes)

  /// The schemes whose URLs call somebody.
  private static let calls = Set(TelURL.schemes + FaceTimeURL.schemes)
  private static let unchanged =
    "delivered unchanged, because the setting SystemSchemeForm is verbatim"

  package init(_ text: String, _ form: SystemSchemeForm) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    let isChecked = Self.checkedSchemes.contains(scheme)
    guard text.utf8.count <= Self.longest else {
      let limit = "only a URL of at most \(Self.longest) bytes is checked"
      self.init(
        text,
        problem: isChecked && (form == .checked || Self.calls.contains(scheme))
          ? "it is too long: \(limit)" : nil,
        explanation: ["not checked: \(limit)"])
      return
    }
    // Most URLs have the scheme of an application and are not parsed.
    guard SystemURL.schemes.contains(scheme) else {
      self.init(text)
      return
    }
    do throws(FormatProblem) {
      guard let url = try SystemURL(text) else {
        self.init(text)
        return
      }
      let notes = url.notes.map(\.description)
      let lines = [url.format.sentence] + notes
      guard isChecked, url.isActedUpon else {
        let problem = "it contains * or #, and such a number is not dialled (R9.6)"
        self.init(text, problem: isChecked ? problem : nil, explanation: lines)
        return
      }
      switch form {
      case .checked:
        let written = url.notes.isEmpty ? nil : url.format.written
        self.init(written ?? text, shown: url.format.called, explanation: lines)
      case .verbatim:
        let isChanged = !url.notes.isEmpty && url.format.written != nil
        self.init(
          text, shown: url.format.called.map { isChanged ? text : $0 },
          explanation: isChanged
            ? [url.format.sentence, Self.unchanged]
              + notes.map { "with SystemSchemeForm = checked it would be changed: \($0)" } : lines)
      }
    } catch {
      guard isChecked || SystemURL.hasSpecialHost(text) else {
        self.init(text)
        return
      }
      guard isChecked else {
        self.init(text, explanation: ["nothing would be done with it: \(error)"])
        return
      }
      switch form {
      case .checked:
        self.init(
          text, problem: error.description, explanation: ["nothing would be done with it: \(error)"]
        )
      case .verbatim:
        // The user sees all that is called, also what Foundation takes for a fragment.
        self.init(
          text, shown: Self.calls.contains(scheme) ? text : nil,
          explanation: ["\(error)", Self.unchanged])
      }
    }
  }

  /// The result for the rule about opens.
  /// - Parameter opensApplication: whether the application is opened without a URL with which it would do
  ///   nothing.
  package func finding(opensApplication: Bool) -> URLFormatFinding {
    guard let problem else { return .accepted(shown: shown) }
    return .refused(
      .invalidURL("nothing would be done with this URL: \(problem)"),
      opensApplication: opensApplication)
  }

  /// Maximum lengths of a number with its parameters, and of a mail address (RFC 5321).
  private static let longestNumber = 100
  private static let longestAddress = 254

  /// The reason why a question to the user could not show the whole callee; nil when it can.
  private static func excess(_ shown: String) -> String? {
    let callee = shown.unicodeScalars.drop { $0 != ":" }.dropFirst()
    let isAddress = callee.contains("@")
    let longest = isAddress ? longestAddress : longestNumber
    guard callee.count > longest else { return nil }
    return "it has \(callee.count) characters after the scheme, and a"
      + " \(isAddress ? "mail address" : "telephone number") has at most \(longest)"
  }

  private init(
    _ text: String, problem: String? = nil, shown: String? = nil, explanation: [String] = []
  ) {
    self.text = text
    if let excess = shown.flatMap(Self.excess) {
      self.problem = excess
      self.shown = nil
      self.explanation = ["nothing would be done with it: \(excess)"]
      return
    }
    self.problem = problem
    self.shown = shown
    self.explanation = explanation
  }
}
