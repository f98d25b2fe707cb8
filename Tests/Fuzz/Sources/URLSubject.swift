internal import FoundationEssentials
internal import LaunchRules
internal import SystemSchemes

/// URLs, and the names that requests hold.
enum URLSubject {
  static func take(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let checked = CheckedURL(text, .checked)
    for line in checked.explanation { precondition(!line.isEmpty, "an explanation says nothing") }
    if checked.problem == nil {
      precondition(
        CheckedURL(checked.text, .checked).text == checked.text,
        "what is handed on is changed again")
    }
    if let url = URL(string: text, encodingInvalidCharacters: false) {
      if let scheme = url.scheme.flatMap(URLScheme.init) {
        precondition(URLScheme(scheme.text) == scheme, "a scheme does not survive its own text")
      }
      _ = url.host(percentEncoded: false).flatMap { WebHost($0) }
    }
    if let identifier = BundleIdentifier(text) {
      precondition(BundleIdentifier(identifier.text) == identifier, "an identifier changed")
    }
    _ = FlatpakApplication.name(in: input)
  }
}
