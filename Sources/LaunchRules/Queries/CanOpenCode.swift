/// Why `canOpenURL` answers no, as a word for programs.
package enum CanOpenCode: String, CaseIterable, Sendable {
  /// The text is no valid URL.
  case invalidURL = "invalid-url"
  /// The caller is an application that does not list the scheme.
  case notListed = "not-listed"
  /// The caller lists the scheme beyond the entries that count (R3.6).
  case beyondLimit = "beyond-limit"
  /// The application that was named as the caller is not registered.
  case notRegistered = "not-registered"
  /// The caller is no application, or its application is not known.
  case unidentified
  /// The caller has already asked about too many schemes (R3.8).
  case quotaExceeded = "quota-exceeded"
  /// The caller is a remote that may not open the scheme without a question.
  case notPermitted = "not-permitted"
  /// The caller may ask, and no application handles the scheme.
  case noApplication = "no-application"
}

extension CanOpenAnswer {
  /// Nil for the answer yes.
  package var code: CanOpenCode? {
    switch self {
    case .yes: nil
    case .no(.unparsable): .invalidURL
    case .no(.notFound): .noApplication
    case .no(.quotaExceeded): .quotaExceeded
    case .no(.notAllowed(_, .notListed)): .notListed
    case .no(.notAllowed(_, .beyondLimit)): .beyondLimit
    case .no(.notAllowed(_, .notRegistered)): .notRegistered
    case .no(.notAllowed(_, .orphan)), .no(.notAllowed(_, .unidentified)),
      .no(.notAllowed(_, .outsider)):
      .unidentified
    }
  }
}
