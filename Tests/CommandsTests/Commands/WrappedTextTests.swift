import Commands
import Testing

@Suite("Wrapped text") struct WrappedTextTests {
  @Test(
    "Lines end between words, and in words that are too long",
    arguments: [
      ("", []), ("one", [" one"]), ("one two", [" one two"]),
      ("one two three", [" one two", "   three"]),
      ("one abcdefghijkl two", [" one", "   abcdefg", "   hijkl", "   two"]),
    ])
  func lines(text: String, lines: [String]) {
    #expect(WrappedText.lines(text, width: 10, indent: 1) == lines)
  }

  @Test("A very long word takes no longer than its length", .timeLimit(.minutes(1)))
  func longWord() {
    let lines = WrappedText.lines(String(repeating: "x", count: 2_000_000), width: 10, indent: 1)
    #expect(lines.count == 285_715)
  }
}
