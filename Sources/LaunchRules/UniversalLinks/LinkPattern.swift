/// A pattern of an association file (R8.12, R8.15): `*` stands for any characters, `?` for one, `$(NAME)`
/// for one of the texts of a variable. It must match the whole of a text.
package struct LinkPattern: Hashable, Sendable {
  enum Piece: Hashable, Sendable {
    case character(Unicode.Scalar)
    case one
    case any
    case variable(String)
  }

  /// As it is written.
  package let text: String
  let pieces: [Piece]

  /// - Parameter readsVariables: False for `paths` of the old format, and for the texts of variables.
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

  /// The names of the variables in it, in order.
  package var variables: [String] {
    pieces.compactMap { if case .variable(let name) = $0 { name } else { nil } }
  }

  /// `(NAME)` after a `$`: any characters but `$`, `(` and `)`.
  private static func takeName(_ rest: inout Substring.UnicodeScalarView.SubSequence) -> String? {
    guard rest.first == "(", let end = rest.firstIndex(of: ")") else { return nil }
    let name = rest[rest.index(after: rest.startIndex)..<end]
    guard !name.isEmpty, !name.contains(where: { $0 == "$" || $0 == "(" }) else { return nil }
    rest = rest[rest.index(after: end)...]
    return String(name)
  }

  /// The pattern as it is compared with `LinkURL.comparedPath`: slashes at the ends do not count (R8.17). One `/`
  /// stands in front, unless the pattern begins with a wildcard, and none at the end.
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

  /// Without `/*` at its end; nil when it does not end so.
  var withoutLastFolder: LinkPattern? {
    guard pieces.count > 2, pieces.suffix(2) == [.character("/"), .any] else { return nil }
    return LinkPattern(text: text, pieces: pieces.dropLast(2))
  }
}

/// Finds out whether patterns match, within a budget: the steps grow with the length of the pattern times
/// that of the text, and no file can ask for more than the budget.
struct PatternMatching {
  let variables: [String: [LinkPattern]]
  let caseSensitive: Bool
  /// In steps. Nothing matches when it is used up.
  var budget: Int

  private struct Text {
    let scalars: [Unicode.Scalar]
    /// In lower case when case does not count.
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

  /// Where a match of all pieces that begins at one of `starts` may end. Both are sorted.
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

  /// What it costs to look a text up in a predefined variable, in steps.
  private static let lookup = 10
}

extension Unicode.Scalar {
  /// Itself where that is several scalars.
  fileprivate var inLowerCase: Unicode.Scalar {
    if isASCII { return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) | 0x20) : self }
    let mapping = properties.lowercaseMapping.unicodeScalars
    return mapping.count == 1 ? mapping.first ?? self : self
  }
}
