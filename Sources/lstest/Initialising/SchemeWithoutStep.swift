internal import LaunchRules

/// The schemes for which a scenario that `lstest init` writes has no step.
enum SchemeWithoutStep {
  /// Why no step opens a URL of a scheme that an application claims; nil for a scheme with a step.
  static func reason(toOpen scheme: String) -> String? {
    switch scheme.lowercased() {
    case "http", "https": "web pages open in the default browser, whoever claims the scheme"
    default: reasonOfSystem(scheme)
    }
  }

  /// Why no step asks whether a URL of the scheme can be opened; nil for a scheme with a step.
  static func reason(toQuery scheme: String) -> String? {
    URLScheme(scheme) == nil
      ? "it is not a URL scheme, so no query matches it" : reasonOfSystem(scheme)
  }

  private static func reasonOfSystem(_ scheme: String) -> String? {
    switch scheme.lowercased() {
    case "file": "a URL of this scheme names a document, which a scenario has to bring along"
    case "about", "javascript", "data": "no application gets URLs of this scheme"
    default: nil
    }
  }
}
