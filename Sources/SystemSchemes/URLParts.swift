internal import FoundationEssentials
internal import LaunchRules

/// A URL, parsed by Foundation, with percent-decoded parts.
package struct URLParts: Sendable {
  struct Item: Hashable, Sendable {
    let name: String
    /// Empty without `=`.
    let value: String
    /// The name as it is in the URL.
    let encodedName: String
    /// The value as it is in the URL.
    let encodedValue: String
    /// The name and the value as they are in the URL.
    let encoded: String
  }

  /// The URL as given.
  let text: String
  /// In lower case.
  let scheme: String
  /// The scheme with its colon and slashes, as they are in the URL.
  let beginning: Substring
  /// Nil without `//`, or when the host is not a valid host name.
  let host: WebHost?
  /// The part between the scheme and the query. Does not include the `//` of `facetime://user@example.com`,
  /// which is optional (R2.6).
  let operand: String
  /// The operand, with its bytes in the URL.
  let encodedOperand: EncodedText
  let path: String
  /// Nil when the URL has no `?`.
  let query: [Item]?
  /// Nil when the URL has no `#`.
  let fragment: String?
  /// Notes about parts that are not UTF-8.
  let notes: FormatNotes

  /// - Parameter readsPlusAsSpace: whether `+` in the query means a space, as in the samples of Maps (R9.15).
  init(_ text: String, readsPlusAsSpace: Bool = false) throws(FormatProblem) {
    guard var components = URLComponents(string: text, encodingInvalidCharacters: false),
      let scheme = components.scheme
    else {
      throw FormatProblem("it is not a URL: what is not ASCII must be percent-encoded")
    }
    if readsPlusAsSpace, let query = components.percentEncodedQuery {
      components.percentEncodedQuery = query.split(separator: "+", omittingEmptySubsequences: false)
        .joined(separator: "%20")
    }
    guard let operand = components.operand else {
      throw FormatProblem("its percent-encoded bytes are not UTF-8")
    }
    var notes = FormatNotes()
    self.text = text
    self.scheme = scheme.lowercased()
    beginning = text.prefix(scheme.count + (components.host == nil ? ":" : "://").count)
    self.operand = operand
    encodedOperand = EncodedText(components.encodedOperand[...], decoded: operand)
    host = components.host.flatMap(WebHost.init)
    path = components.path
    query = components.items(&notes)
    fragment = components.percentEncodedFragment.map { components.fragment ?? $0 }
    self.notes = notes
  }
}

extension URLComponents {
  /// Nil when a part cannot be decoded: Foundation then returns an empty part.
  fileprivate var operand: String? {
    if (percentEncodedPath.isEmpty != path.isEmpty)
      || (percentEncodedHost?.isEmpty != host?.isEmpty)
      || (percentEncodedUser == nil) != (user == nil)
    {
      return nil
    }
    guard let host = writtenHost?.text else { return path }
    let account = user.map { $0 + (password.map { ":\($0)" } ?? "") + "@" } ?? ""
    return account + host + (port.map { ":\($0)" } ?? "") + (path == "/" ? "" : path)
  }

  /// The host as it is in the URL: Foundation converts Punycode, and what is asked must not look like another host.
  private var writtenHost: EncodedText? { encodedHost.map { EncodedText($0[...]) } }

  fileprivate var encodedOperand: String {
    guard let host = writtenHost?.written else { return percentEncodedPath }
    let account =
      percentEncodedUser.map { $0 + (percentEncodedPassword.map { ":\($0)" } ?? "") + "@" } ?? ""
    return account + host + (port.map { ":\($0)" } ?? "")
      + (percentEncodedPath == "/" ? "" : percentEncodedPath)
  }

  fileprivate func items(_ notes: inout FormatNotes) -> [URLParts.Item]? {
    guard let encoded = percentEncodedQueryItems, let decoded = queryItems else { return nil }
    return zip(encoded, decoded).compactMap { encoded, decoded in
      if encoded.value != nil && decoded.value == nil
        || encoded.name.isEmpty != decoded.name.isEmpty
      {
        notes.add(encoded.name.quoted, "dropped: its percent-encoded bytes are not UTF-8")
        return nil
      }
      if encoded.name.isEmpty && encoded.value == nil { return nil }
      return URLParts.Item(
        name: decoded.name, value: decoded.value ?? "", encodedName: encoded.name,
        encodedValue: encoded.value ?? "",
        encoded: encoded.name + (encoded.value.map { "=" + $0 } ?? ""))
    }
  }
}
