internal import FoundationEssentials
package import LaunchRules

extension LinkURL {
  /// The reason why a text cannot be a universal link, whatever the site's file contains: a phrase after
  /// "it".
  package struct Wrong: Error, Hashable, Sendable {
    package let problem: String
  }

  package init?(_ text: String) { try? self.init(reading: text) }

  /// Refuses schemes other than `http` and `https` (R8.18), a missing host, and a port other than the
  /// scheme's, to which the file of the host does not apply.
  package init(reading text: String) throws(Wrong) {
    guard let url = URLComponents(string: text, encodingInvalidCharacters: false),
      let scheme = url.scheme.flatMap(URLScheme.init), scheme.isWeb,
      let host = url.encodedHost.flatMap(WebHost.init)
    else { throw Wrong(problem: "is not an http or https URL") }
    // Compares the text of the port: Foundation returns no number for a port that is too large.
    if let range = url.rangeOfPort, let port = url.string?[range], !port.isEmpty,
      Int(port) != scheme.usualPort
    {
      throw Wrong(
        problem: "names the port \(port), and the file counts for port \(scheme.usualPort) of"
          + " \(scheme) only")
    }
    let path = url.percentEncodedPath
    self.init(
      host: host, path: Part(encoded: path.isEmpty ? "/" : path),
      query: Part(encoded: url.percentEncodedQuery ?? ""),
      items: (url.percentEncodedQueryItems ?? []).map {
        Item(Part(encoded: $0.name), Part(encoded: $0.value ?? ""))
      }, fragment: Part(encoded: url.percentEncodedFragment ?? ""))
  }
}

extension LinkURL.Part {
  fileprivate init(encoded text: String) {
    self.init(text, decoded: text.percentDecoded ?? text)
  }
}

extension String {
  /// Nil when the decoded bytes are not UTF-8.
  fileprivate var percentDecoded: String? {
    guard utf8.contains(UInt8(ascii: "%")) else { return self }
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let decoded = UInt8(Substring(rest.prefix(2)), radix: 16)
      {
        rest = rest.dropFirst(2)
        bytes.append(decoded)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension URLScheme {
  fileprivate var usualPort: Int { text == "https" ? 443 : 80 }
}
