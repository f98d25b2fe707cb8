package import LaunchRules

/// What becomes of a URL by the format of its scheme. The open hands on what an explanation tells, because both use
/// this.
package struct CheckedURL: Hashable, Sendable {
  /// What is handed on.
  package let text: String
  /// What is wrong, to follow "it"; nil when the application would do something with the URL.
  package let problem: String?
  /// What the user is shown when asked about the open; nil for the URL.
  package let shown: String?
  /// One line or more, without full stops; none when there is no rule for the scheme.
  package let explanation: [String]

  /// In bytes. To look at a longer one would keep others waiting.
  static let longest = 1 << 16
  /// Web URLs are handed on as given, because Maps and the others read them themselves.
  private static let checkedSchemes: Set<String> = Set(
    MailtoURL.schemes + TelURL.schemes + FaceTimeURL.schemes + SMSURL.schemes)

  package init(_ text: String, _ form: SystemSchemeForm) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    let isChecked = Self.checkedSchemes.contains(scheme)
    guard text.utf8.count <= Self.longest else {
      let limit = "only a URL of at most \(Self.longest) bytes is looked at"
      self.init(
        text, problem: isChecked && form == .checked ? "it is too long: \(limit)" : nil,
        explanation: ["not looked at: \(limit)"])
      return
    }
    do throws(FormatProblem) {
      guard let url = try SystemURL(text) else {
        self.init(text)
        return
      }
      let lines = [url.format.sentence] + url.notes.map(\.description)
      guard isChecked, url.isActedUpon else {
        let problem = "it holds * or #, and such a number is not dialled (R9.6)"
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
          explanation: lines
            + (isChanged ? ["handed on as given all the same: SystemSchemeForm is verbatim"] : []))
      }
    } catch {
      guard isChecked || URLScheme(scheme)?.isWeb == true else {
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
        self.init(
          text,
          explanation: [
            "\(error)", "handed on as given all the same: SystemSchemeForm is verbatim",
          ])
      }
    }
  }

  /// What the rule about opens is told.
  /// - Parameter opensApplication: an application that would do nothing with the URL is opened without it.
  package func finding(opensApplication: Bool) -> URLFormatFinding {
    guard let problem else { return .accepted(shown: shown) }
    return .refused(
      .invalidURL("nothing would be done with this URL: \(problem)"),
      opensApplication: opensApplication)
  }

  private init(
    _ text: String, problem: String? = nil, shown: String? = nil, explanation: [String] = []
  ) {
    self.text = text
    self.problem = problem
    self.shown = shown
    self.explanation = explanation
  }
}
