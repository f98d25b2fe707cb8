import LaunchRules
import SeededRandom
import Testing

/// What patterns mean, written as plainly as can be: every way to divide the text is tried.
private enum Naive {
  static func matches(
    _ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>, _ values: [String]
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*":
      return (text.startIndex...text.endIndex).contains { matches(rest, text[$0...], values) }
    case "?": return !text.isEmpty && matches(rest, text.dropFirst(), values)
    case "V":
      // The value may end anywhere.
      return (text.startIndex...text.endIndex).contains { end in
        values.contains { matches(ArraySlice($0), text[..<end], []) }
          && matches(rest, text[end...], values)
      }
    default: return text.first == first && matches(rest, text.dropFirst(), values)
    }
  }
}

@Suite("Patterns of association files") struct PatternRandomTests {
  @Test("match what a plain reading of the rules matches (R8.12, R8.15)")
  func random() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    func text(_ alphabet: String, _ most: Int) -> String {
      String(
        (0..<Int.random(in: 0...most, using: &random)).map { _ in
          alphabet.randomElement(using: &random) ?? "a"
        })
    }
    let host = try #require(WebHost("my.com"))
    let application = try #require(LinkedApplication("T.a"))
    for _ in 0..<5_000 {
      let values = (0..<Int.random(in: 1...3, using: &random)).map { _ in text("ab*?", 3) }
      let pattern = text("aabb*?V", 8)
      let path = text("ab", 10)
      let file = AssociationFile(
        variables: ["v": values.map { LinkPattern($0, readsVariables: false) }],
        details: [
          .init(
            [application],
            components: [
              .init(fragment: LinkPattern(pattern.map { $0 == "V" ? "$(v)" : "\($0)" }.joined()))
            ])
        ])
      let part = LinkURL.Part(path, decoded: path)
      let empty = LinkURL.Part("", decoded: "")
      let url = LinkURL(host: host, path: empty, query: empty, items: [], fragment: part)
      let expected = Naive.matches(ArraySlice(pattern), ArraySlice(path), values)
      try #require(
        (file.match(url, for: application).verdict == .matched) == expected,
        "seed \(seed): \(pattern) with \(values) and \(path)")
    }
  }
}
