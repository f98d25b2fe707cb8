/// What the format of a system scheme makes of a URL (R9.1–R9.12). `Explain` and the open use the same finding.
package enum URLFormatFinding: Hashable, Sendable {
  /// - Parameter shown: what the user is shown in place of the URL when asked about the open; nil for the URL.
  case accepted(shown: String? = nil)
  /// The application would do nothing with the URL.
  /// - Parameter opensApplication: the application is opened without the URL, as Apple's systems do: to their opener
  ///   the open of a URL of a known scheme always succeeds (R4.3).
  case refused(OpenFailure, opensApplication: Bool)

  var isRefused: Bool {
    switch self {
    case .accepted: false
    case .refused: true
    }
  }

  package var shown: String? {
    if case .accepted(let shown) = self { shown } else { nil }
  }
}

/// In which form the URLs of system schemes are handed on: `mailto`, `tel`, `telprompt`, `facetime`,
/// `facetime-audio` and `sms`.
package enum SystemSchemeForm: String, Hashable, Sendable, CaseIterable {
  /// Without what their formats do not allow; a URL with which nothing would be done is refused.
  case checked
  /// As given, byte for byte. Only a number that must not be dialled is refused (R9.6).
  case verbatim
}
