internal import FoundationEssentials
package import LaunchRules

extension LinkURL {
  /// Nil for what is no universal link whatever a site says: another scheme than `http` and `https`
  /// (R8.18), no host, or a port that is not the scheme's, of which the file of the host says nothing.
  package init?(_ text: String) {
    guard let url = URLComponents(string: text, encodingInvalidCharacters: false),
      let scheme = url.scheme.flatMap(URLScheme.init), scheme.isWeb,
      let host = url.encodedHost.flatMap(WebHost.init), url.hasUsualPort(of: scheme)
    else { return nil }
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
  /// Nil when what is encoded is not UTF-8.
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

extension URLComponents {
  fileprivate func hasUsualPort(of scheme: URLScheme) -> Bool {
    port == nil || port == (scheme.text == "https" ? 443 : 80)
  }
}
