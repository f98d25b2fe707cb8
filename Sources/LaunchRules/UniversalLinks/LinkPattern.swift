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

  /// For paths: one that begins with neither `/` nor a wildcard is read as if `/` stood before it
  /// (R8.17).
  var fromRoot: LinkPattern {
    switch pieces.first {
    case .one, .any, .character("/"), nil: self
    case .character, .variable:
      LinkPattern(text: text, pieces: [.character("/")] + pieces)
    }
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
  /// Nothing matches when it is used up.
  var budget: Int

  mutating func matches(_ pattern: LinkPattern, _ text: String) -> Bool {
    budget -= text.utf8.count
    guard budget >= 0 else { return false }
    let scalars = Array(text.unicodeScalars)
    return ends(of: pattern.pieces, in: scalars, from: [0]).last == scalars.count
  }

  /// Where a match of all pieces that begins at one of `starts` may end. Both are sorted.
  private mutating func ends(
    of pieces: [LinkPattern.Piece], in text: [Unicode.Scalar], from starts: [Int]
  ) -> [Int] {
    var places = starts
    for piece in pieces {
      budget -= places.count + 1
      guard let first = places.first, budget >= 0 else { return [] }
      switch piece {
      case .character(let scalar):
        places = places.compactMap { place in
          place < text.count && isSame(text[place], scalar) ? place + 1 : nil
        }
      case .one: places = places.compactMap { $0 < text.count ? $0 + 1 : nil }
      case .any: places = Array(first...text.count)
      case .variable(let name): places = ends(ofVariable: name, in: text, from: places)
      }
      // What was found costs, too: a `*` finds the whole rest.
      budget -= places.count
    }
    return budget < 0 ? [] : places
  }

  private mutating func ends(
    ofVariable name: String, in text: [Unicode.Scalar], from starts: [Int]
  ) -> [Int] {
    if let values = variables[name] {
      var found: Set<Int> = []
      for value in values where budget >= 0 {
        found.formUnion(ends(of: value.pieces, in: text, from: starts))
      }
      return found.sorted()
    }
    guard let set = PredefinedVariable(rawValue: name) else { return [] }
    budget -= starts.count * set.longest
    var found: Set<Int> = []
    for start in starts {
      for length in 1...set.longest where start + length <= text.count {
        let candidate = String(String.UnicodeScalarView(text[start..<start + length]))
        if set.contains(candidate, caseSensitive: caseSensitive) { found.insert(start + length) }
      }
    }
    return found.sorted()
  }

  private func isSame(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
    one == other
      || !caseSensitive
        && one.properties.lowercaseMapping == other.properties.lowercaseMapping
  }
}
