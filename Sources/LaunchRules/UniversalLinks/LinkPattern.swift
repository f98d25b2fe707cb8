/// A pattern of an association file (R8.12, R8.15): `*` matches any characters, `?` matches one, `$(NAME)`
/// matches one of the texts of a variable. A pattern must match a whole text.
package struct LinkPattern: Hashable, Sendable {
  enum Piece: Hashable, Sendable {
    case character(Unicode.Scalar)
    case one
    case any
    case variable(String)
  }

  /// The unchanged text of the pattern.
  package let text: String
  let pieces: [Piece]

  /// - Parameter readsVariables: false for `paths` of the old format, and for the texts of variables.
  package init(_ text: String, readsVariables: Bool = true) {
    self.text = text
    var pieces: [Piece] = []
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "*": if pieces.last != .any { pieces.append(.any) }
      case "?": pieces.append(.one)
      case "$" where readsVariables:
        if let name = Self.takeName(&rest) {
          pieces.append(.variable(name))
        } else {
          pieces.append(.character(scalar))
        }
      default: pieces.append(.character(scalar))
      }
    }
    self.pieces = pieces
  }

  private init(text: String, pieces: [Piece]) {
    self.text = text
    self.pieces = pieces
  }

  /// The names of the variables in the pattern, in order.
  package var variables: [String] {
    pieces.compactMap { if case .variable(let name) = $0 { name } else { nil } }
  }

  /// Parses `(NAME)` after a `$`. A name consists of any characters except `$`, `(` and `)`.
  private static func takeName(_ rest: inout Substring.UnicodeScalarView.SubSequence) -> String? {
    guard rest.first == "(", let end = rest.firstIndex(of: ")") else { return nil }
    let name = rest[rest.index(after: rest.startIndex)..<end]
    guard !name.isEmpty, !name.contains(where: { $0 == "$" || $0 == "(" }) else { return nil }
    rest = rest[rest.index(after: end)...]
    return String(name)
  }

  /// The pattern for the comparison with `LinkURL.comparedPath`, which ignores leading and trailing slashes
  /// (R8.17). It begins with one `/`, unless it begins with a wildcard, and has no `/` at the end.
  var asPath: LinkPattern {
    let slash = Piece.character("/")
    if pieces.first == slash, pieces.count == 1 || pieces.last != slash && pieces[1] != slash {
      return self
    }
    var rest = pieces[...]
    while rest.first == slash { rest = rest.dropFirst() }
    while rest.last == slash { rest = rest.dropLast() }
    let begins: Bool =
      switch pieces.first {
      case .one, .any: false
      case .character, .variable, nil: true
      }
    return LinkPattern(text: text, pieces: (begins ? [slash] : []) + rest)
  }

  /// The pattern without `/*` at its end, and without the slashes before it; nil without that end.
  var withoutLastFolder: LinkPattern? {
    let slash = Piece.character("/")
    guard pieces.count > 2, pieces.suffix(2) == [slash, .any] else { return nil }
    var rest = pieces.dropLast(2)
    while rest.count > 1, rest.last == slash { rest = rest.dropLast() }
    return LinkPattern(text: text, pieces: Array(rest))
  }
}

/// Matches patterns within a budget of steps. The number of steps grows with the product of the lengths of
/// pattern and text.
struct PatternMatching {
  let variables: [String: [LinkPattern]]
  let caseSensitive: Bool
  /// The remaining steps. Nothing matches when the budget is used up.
  var budget: Int

  private struct Text {
    let scalars: [Unicode.Scalar]
    /// The text in lower case if case is ignored.
    let folded: [Unicode.Scalar]
    var count: Int { scalars.count }
  }

  mutating func matches(_ pattern: LinkPattern, _ text: String) -> Bool {
    budget -= text.utf8.count
    guard budget >= 0 else { return false }
    let scalars = Array(text.unicodeScalars)
    let text = Text(
      scalars: scalars, folded: caseSensitive ? scalars : scalars.map(\.inLowerCase))
    return ends(of: pattern.pieces, in: text, from: [0]).last == text.count
  }

  /// The possible end positions of a match of all pieces that begins at one of `starts`. Both are sorted.
  private mutating func ends(
    of pieces: [LinkPattern.Piece], in text: Text, from starts: [Int]
  ) -> [Int] {
    var places = starts
    for piece in pieces {
      budget -= places.count + 1
      guard let first = places.first, budget >= 0 else { return [] }
      switch piece {
      case .character(let scalar):
        let wanted = caseSensitive ? scalar : scalar.inLowerCase
        places = places.compactMap { place in
          place < text.count && text.folded[place] == wanted ? place + 1 : nil
        }
      case .one: places = places.compactMap { $0 < text.count ? $0 + 1 : nil }
      case .any:
        budget -= text.count - first
        places = Array(first...text.count)
      case .variable(let name): places = ends(ofVariable: name, in: text, from: places)
      }
    }
    return places
  }

  private mutating func ends(
    ofVariable name: String, in text: Text, from starts: [Int]
  ) -> [Int] {
    budget -= text.count
    var isEnd = Array(repeating: false, count: text.count + 1)
    if let values = variables[name] {
      for value in values where budget >= 0 {
        let found = ends(of: value.pieces, in: text, from: starts)
        budget -= found.count + 1
        for place in found { isEnd[place] = true }
      }
    } else if let set = PredefinedVariable(rawValue: name) {
      for start in starts where budget >= 0 {
        for length in 1...set.longest where start + length <= text.count {
          budget -= Self.lookup
          let candidate = String(
            String.UnicodeScalarView(text.scalars[start..<start + length]))
          if set.contains(candidate, caseSensitive: caseSensitive) { isEnd[start + length] = true }
        }
      }
    }
    return isEnd.indices.filter { isEnd[$0] }
  }

  /// Cost of looking up a text in a predefined variable, in steps.
  private static let lookup = 10
}

extension Unicode.Scalar {
  /// The scalar itself if its lower case has several scalars.
  fileprivate var inLowerCase: Unicode.Scalar {
    if isASCII { return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) | 0x20) : self }
    let mapping = properties.lowercaseMapping.unicodeScalars
    return mapping.count == 1 ? mapping.first ?? self : self
  }
}
