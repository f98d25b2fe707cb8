import LaunchRules
import Testing

@Suite struct `A logged URL` {
  @Test(
    "loses its query and its fragment",
    arguments: [
      ("foo://host/path?token=secret#part", "foo://host/path?…"),
      ("foo:bar#part?no-query", "foo:bar#…"), ("foo:?", "foo:?…"), ("#", "#…"),
      ("foo://host/path", "foo://host/path"), ("", ""),
    ])
  func redacts(_ url: String, _ logged: String) {
    #expect(redacted(url) == logged)
  }

  @Test("is at most 256 characters long") func bounded() {
    func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
    #expect(redacted(letters(256)) == letters(256))
    #expect(redacted(letters(257)) == letters(255) + "…")
    #expect(redacted(letters(254) + "?secret") == letters(254) + "?…")
    for length in [255, 256, 257, 1000] {
      #expect(redacted(letters(length) + "?secret") == letters(255) + "…")
    }
    // Characters that are replaced count as one each.
    #expect(redacted(letters(255) + "\n") == letters(255) + "�")
    let towering = "a" + String(repeating: "\u{301}", count: 1000)
    #expect(redacted(towering).unicodeScalars.count == 256)
  }

  @Test("stays on its line") func oneLine() {
    #expect(redacted("a:\"b\"?c") == "a:\"b\"?…")
    #expect(redacted("a\nb\r\u{1B}[2J\u{2028}\u{202E}\u{0}") == "a�b��[2J���")
  }

  @Test("R3.13 the line for a refused query shows neither query nor fragment") func line() {
    let scheme = Sample.scheme("FOO")
    let answer = CanOpenAnswer.no(.notAllowed(scheme, hint: .unidentified))
    #expect(
      answer.logLine(for: "FOO://h?token=secret")
        == "-canOpenURL: failed for URL: \"FOO://h?…\" - error: "
        + "\"This app is not allowed to query for scheme foo\"")
    // A quotation mark would end the quoted URL.
    #expect(
      answer.logLine(for: "foo:\" - error: \"b")
        == "-canOpenURL: failed for URL: \"foo:� - error: �b\" - error: "
        + "\"This app is not allowed to query for scheme foo\"")
    #expect(CanOpenAnswer.yes(.handled).logLine(for: "foo:") == nil)
  }

  @Test("a long scheme does not make a long line") func longScheme() {
    let scheme = Sample.scheme(String(repeating: "s", count: URLScheme.longest))
    let line = CanOpenAnswer.no(.notAllowed(scheme, hint: .unidentified)).logLine(for: scheme.text)
    #expect((line?.count ?? .max) < 700)
  }
}
