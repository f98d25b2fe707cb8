internal import FoundationEssentials
internal import LaunchRules

/// A URL that somebody asks about, checked but otherwise exactly as given.
struct RequestedURL {
  let text: String
  let scheme: URLScheme
  /// Of a web URL; nil when it has none that could be a special host (R2.12).
  let host: WebHost?

  /// R2.5: the whole must be a URL. Foundation is the judge.
  init(_ text: String, longest: Int) throws(OpenFailure) {
    guard text.utf8.count <= longest else {
      throw .limitExceeded(
        "the URL has \(text.utf8.count) bytes; the limit MaximumURLLength of the settings is"
          + " \(longest)")
    }
    guard !text.isEmpty else { throw .invalidURL("the URL is empty") }
    guard let url = URL(string: text, encodingInvalidCharacters: false) else {
      if let encoded = URL(string: text), encoded.scheme != nil {
        throw .invalidURL(
          "the URL holds characters that must be percent-encoded; did you mean"
            + " \(encoded.absoluteString)")
      }
      throw .invalidURL("\(redacted(text)) is not a URL")
    }
    guard let scheme = url.scheme.flatMap(URLScheme.init) else {
      throw .invalidURL("\(redacted(text)) has no scheme; a URL begins like myapp:")
    }
    self.text = text
    self.scheme = scheme
    host = scheme.isWeb ? url.host(percentEncoded: false).flatMap(WebHost.init) : nil
  }
}
