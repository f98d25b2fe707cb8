/// A web URL, taken apart for the patterns of association files.
package struct LinkURL: Hashable, Sendable {
  /// A part as it is written, and percent-decoded; as written where that is no text.
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
    /// Empty without `=`.
    package let value: Part

    package init(_ name: Part, _ value: Part) {
      self.name = name
      self.value = value
    }
  }

  package let host: WebHost
  /// `/` when the URL has none.
  package let path: Part
  /// The path as patterns are compared with it: slashes at the ends do not count (R8.17).
  let comparedPath: Part
  /// Empty when there is none.
  package let query: Part
  package let items: [Item]
  /// Empty when there is none.
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
  /// With one slash in front, and none at the end.
  fileprivate var asPath: String {
    let slash: Unicode.Scalar = "/"
    let start = unicodeScalars.drop { $0 == slash }
    let end = start.lastIndex { $0 != slash }
    return "/" + (end.map { String(start[...$0]) } ?? "")
  }
}
