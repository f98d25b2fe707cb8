internal import AssociationFiles
internal import FoundationEssentials
internal import LaunchRules
internal import SystemSchemes

/// A checked URL of a call. Its text is unchanged.
struct RequestedURL {
  let text: String
  let scheme: URLScheme
  /// The host of a web URL; nil when the URL has no host that could be a special host (R2.12).
  let host: WebHost?
  /// The host of a web URL, without percent-encoding, of any form; nil without one.
  let webHost: String?
  /// The text as a URL, by which universal links are found; nil when it has no such form.
  private let form: String?
  /// False when a web URL leads, or may lead, to this machine or into the local network.
  var hasPublicHost: Bool {
    // The scheme with its colon leads nowhere; queries consist of that.
    !scheme.isWeb || text.utf8.count == scheme.text.utf8.count + 1
      || PublicHost.hasPlainAuthority(text) && PublicHost.isCertain(webHost)
  }

  /// Whether a mailto URL names a file that some mail programs would attach, such as `attach` and `attachment`. RFC 6068
  /// has no such field.
  var attachesFile: Bool {
    // Decoded before it is divided, so that no mail program finds a field that is not found here.
    guard scheme.text == "mailto", let query = URLComponents(string: text)?.query else {
      return false
    }
    return query.lowercased().split { (character: Character) in "&;?".contains(character) }
      .contains { (field: Substring) -> Bool in field.prefix { $0 != "=" }.contains("attach") }
  }

  /// Checks that the whole text is a URL (R2.5), as Foundation defines it, of at most `longest` bytes.
  init(_ text: String, longest: Int) throws(OpenFailure) {
    try Self.checkLength(text, longest)
    guard let url = URL(string: URLBeginning.of(text), encodingInvalidCharacters: false) else {
      if let host = NonASCIIHost.of(text) { throw .invalidURL(NonASCIIHost.problem(host)) }
      if let suggestion = Self.encoded(text, longest: longest) {
        throw .invalidURL(
          "the URL contains characters that must be percent-encoded; did you mean \(suggestion)")
      }
      throw .invalidURL("\(redacted(text)) is not a URL")
    }
    guard let scheme = url.scheme.flatMap(URLScheme.init) else {
      throw .invalidURL("\(redacted(text)) has no scheme; a URL begins like myapp:")
    }
    self.init(text, form: text, url, scheme)
  }

  /// Checks a text as xdg-open passes it on: a scheme, a colon, and any characters but control characters.
  init(anyCharacters text: String, longest: Int) throws(OpenFailure) {
    do throws(OpenFailure) {
      self = try RequestedURL(text, longest: longest)
    } catch {
      try Self.checkLength(text, longest)
      guard let colon = text.firstIndex(of: ":"), let scheme = URLScheme(String(text[..<colon])),
        !DocumentURL.isOne(text),
        !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      else { throw error }
      // Foundation encodes the characters that are not allowed.
      let url = URL(string: text)
      let form = url.map(\.absoluteString)
      self.init(text, form: form.flatMap { $0.utf8.count <= longest ? $0 : nil }, url, scheme)
    }
  }

  private init(_ text: String, form: String?, _ url: URL?, _ scheme: URLScheme) {
    self.text = text
    self.form = form
    self.scheme = scheme
    webHost = scheme.isWeb ? url?.host(percentEncoded: false) : nil
    host = webHost.flatMap(WebHost.init)
  }

  private static func checkLength(_ text: String, _ longest: Int) throws(OpenFailure) {
    guard text.utf8.count <= longest else {
      throw .limitExceeded(
        "the URL has \(text.utf8.count) bytes; the limit MaximumURLLength of the settings is"
          + " \(longest)")
    }
    guard !text.isEmpty else { throw .invalidURL("the URL is empty") }
  }

  /// The subject for the rule about opens.
  var subject: OpenRule.Subject {
    .url(scheme, host: host, link: scheme.isWeb ? form.flatMap(LinkURL.init) : nil)
  }

  /// A suggested correction: the URL with all invalid characters percent-encoded and existing
  /// percent-encodings unchanged. Returns nil when the corrected text would not be accepted either.
  private static func encoded(_ text: String, longest: Int) -> String? {
    guard text.utf8.count <= longestSuggestion else { return nil }
    // Foundation encodes every `%` of a part that needs encoding, so valid sequences are replaced by a mark
    // first. The beginning of the mark never equals its end, so marks cannot overlap.
    var number = 0
    while text.contains("q\(number)z") { number += 1 }
    let mark = "q\(number)z"
    let marked = text.replacing(/%(?=[0-9A-Fa-f]{2})/, with: mark)
    guard let url = URL(string: marked), url.scheme != nil else { return nil }
    let suggestion = url.absoluteString.replacing(mark, with: "%")
    guard suggestion.utf8.count <= longest,
      let url = URL(string: suggestion, encodingInvalidCharacters: false),
      url.scheme.flatMap(URLScheme.init) != nil,
      CheckedURL(suggestion, .checked).problem == nil
    else { return nil }
    return suggestion
  }

  /// Maximum length of a text with a suggestion, in bytes.
  private static let longestSuggestion = 2048
}
