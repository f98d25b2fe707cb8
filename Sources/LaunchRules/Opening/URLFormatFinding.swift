/// The result of checking a URL against the format of its system scheme (R9.1–R9.12). `Explain` and the open
/// use the same result.
package enum URLFormatFinding: Hashable, Sendable {
  /// - Parameter shown: text for the question to the user in place of the URL; nil for the URL.
  case accepted(shown: String? = nil)
  /// The URL would have no effect.
  /// - Parameter opensApplication: whether the application is opened without the URL, as on Apple's systems,
  ///   where opening a URL of a known scheme always succeeds (R4.3).
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

/// The form in which URLs of system schemes are delivered: `mailto`, `tel`, `telprompt`, `facetime`,
/// `facetime-audio` and `sms`.
package enum SystemSchemeForm: String, Hashable, Sendable, CaseIterable {
  /// Without the parts that the format forbids. A URL without effect is refused.
  case checked
  /// Unchanged. Only a number that must not be dialed is refused (R9.6).
  case verbatim
}
