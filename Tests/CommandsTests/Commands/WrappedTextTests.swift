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
}
