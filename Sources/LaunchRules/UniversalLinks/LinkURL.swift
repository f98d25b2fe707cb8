/// A web URL, split into parts for the patterns of association files.
package struct LinkURL: Hashable, Sendable {
  /// A part in its original and its percent-decoded form. The decoded form is the original if decoding gives
  /// invalid UTF-8.
  package struct Part: Hashable, Sendable {
    package let written: String
    package let decoded: String

    package init(_ written: String, decoded: String) {
      self.written = written
      self.decoded = decoded
    }

    func text(percentEncoded: Bool) -> String { percentEncoded ? written : decoded }
  }

  package struct Item: Hashable, Sendable {
    package let name: Part
    /// The value; empty without `=`.
    package let value: Part

    package init(_ name: Part, _ value: Part) {
      self.name = name
      self.value = value
    }
  }

  package let host: WebHost
  /// The path; `/` when the URL has none.
  package let path: Part
  /// The path for comparisons, which ignore leading and trailing slashes (R8.17).
  let comparedPath: Part
  /// The query; empty when there is none.
  package let query: Part
  package let items: [Item]
  /// The fragment; empty when there is none.
  package let fragment: Part

  package init(host: WebHost, path: Part, query: Part, items: [Item], fragment: Part) {
    self.host = host
    self.path = path
    comparedPath = Part(path.written.asPath, decoded: path.decoded.asPath)
    self.query = query
    self.items = items
    self.fragment = fragment
  }
}

extension String {
  /// The text with one leading slash and no trailing slashes.
  fileprivate var asPath: String {
    let slash: Unicode.Scalar = "/"
    let start = unicodeScalars.drop { $0 == slash }
    let end = start.lastIndex { $0 != slash }
    return "/" + (end.map { String(start[...$0]) } ?? "")
  }
}
