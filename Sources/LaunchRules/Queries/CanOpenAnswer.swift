/// The answer to `canOpenURL`, with its reason.
package enum CanOpenAnswer: Hashable, Sendable {
  case yes(YesReason)
  case no(NoReason)

  package enum YesReason: Hashable, Sendable {
    /// Always yes for `http` and `https`, because there is a browser (R3.9).
    case web
    /// A system application claims the scheme, so no allowlist applies (R3.4).
    case system
    /// The caller may query the scheme, and an application handles it.
    case handled
    /// The caller may query the scheme, and a rule of the user sends its URLs to the machine.
    case sent(RemoteName)
  }

  package enum NoReason: Hashable, Sendable {
    /// The text has no scheme or is not a URL.
    case unparsable
    /// The scheme is not on the caller's allowlist. The hint contains a remedy.
    case notAllowed(URLScheme, hint: Hint)
    /// The caller may query the scheme, but no application handles it: −10814.
    case notFound
    /// The caller was linked before iOS 9 and has queried too many schemes (R3.8).
    case quotaExceeded
  }

  /// The reason why a scheme is not allowed.
  package enum Hint: Hashable, Sendable {
    case notListed(BundleIdentifier)
    /// The scheme is listed beyond the effective entries (R3.6).
    case beyondLimit(BundleIdentifier)
    case notRegistered(BundleIdentifier)
    case orphan
    case unidentified
    case outsider(Outsider)
  }

  package var isYes: Bool {
    switch self {
    case .yes: true
    case .no: false
    }
  }
}

extension CanOpenAnswer.Hint: CustomStringConvertible {
  /// The problem and the remedy.
  package var description: String {
    switch self {
    case .notListed(let application):
      "\(application) does not list the scheme; add it to LSApplicationQueriesSchemes"
    case .beyondLimit(let application):
      "\(application) lists the scheme beyond the entries that count for its SDK; "
        + "move it up in LSApplicationQueriesSchemes"
    case .notRegistered(let application):
      "\(application) is not registered; register it, or name an application that is"
    case .orphan:
      "the caller descends from an application, but the processes between have ended, so the"
        + " application is unknown; send the query from the application, or from a process in its"
        + " session"
    case .outsider(let outsider):
      "\(outsider), and is not a registered application; \(Outsider.advice)"
    case .unidentified:
      "the caller is not a registered application; check in, be started by launchservicesd, "
        + "or name an application with option 'as'"
    }
  }
}
