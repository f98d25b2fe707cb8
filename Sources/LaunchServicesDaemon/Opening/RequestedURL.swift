internal import AssociationFiles
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
    guard let url = URL(string: URLBeginning.of(text), encodingInvalidCharacters: false) else {
      if let suggestion = Self.encoded(text, longest: longest) {
        throw .invalidURL(
          "the URL holds characters that must be percent-encoded; did you mean \(suggestion)")
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

  /// What the rule about opens is asked about.
  var subject: OpenRule.Subject {
    .url(scheme, host: host, link: scheme.isWeb ? LinkURL(text) : nil)
  }

  /// The URL that was meant: with what is not allowed encoded, and what is encoded left alone. Nil when that would
  /// not be accepted either.
  private static func encoded(_ text: String, longest: Int) -> String? {
    guard text.utf8.count <= longestSuggestion else { return nil }
    // Foundation encodes the `%` of each part that holds anything else to encode, so the sequences
    // that are well-formed stand aside. No part of the mark is its beginning and its end.
    var number = 0
    while text.contains("q\(number)z") { number += 1 }
    let mark = "q\(number)z"
    let marked = text.replacing(/%(?=[0-9A-Fa-f]{2})/, with: mark)
    guard let url = URL(string: marked), url.scheme != nil else { return nil }
    let suggestion = url.absoluteString.replacing(mark, with: "%")
    guard suggestion.utf8.count <= longest,
      let url = URL(string: suggestion, encodingInvalidCharacters: false),
      url.scheme.flatMap(URLScheme.init) != nil
    else { return nil }
    return suggestion
  }

  /// In bytes. Nobody reads a longer one, and it takes time to make.
  private static let longestSuggestion = 2048
}
