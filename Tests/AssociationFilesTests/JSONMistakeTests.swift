import LaunchRules
import Testing

@testable import AssociationFiles

@Suite("The place of a mistake in JSON") struct JSONMistakeTests {
  @Test(
    "is the first token that cannot go on",
    arguments: [
      ("", "line 1, column 1: the text ends too early"),
      ("{", "line 1, column 2: the text ends too early"),
      ("{\n \"a\": }", "line 2, column 7: unexpected \"}\""),
      ("{\"a\":1} x", "line 1, column 9: unexpected \"x\""),
      ("{\n 'a':1}", "line 2, column 2: unexpected \"'a'\""),
      ("{\n\"ä\" 1}", "line 2, column 5: unexpected \"1\""),
      ("{\n\"a\":[1 2]}", "line 2, column 8: unexpected \"2\""),
      ("[[1}]", "line 1, column 4: unexpected \"}\""),
      ("[\ntrue,\nno]", "line 3, column 1: unexpected \"no\""),
      ("{\n\"a\": \"x", "line 2, column 6: the text that begins there does not end"),
      ("\u{FEFF}{\n]", "line 2, column 1: unexpected \"]\""),
    ])
  func place(_ text: String, _ description: String) {
    #expect(JSONMistake.find(in: Array(text.utf8))?.description == description)
  }

  @Test("there is none in JSON") func none() {
    #expect(JSONMistake.find(in: Array(#"{"a": ["b", 1, true, null, {}]}"#.utf8)) == nil)
  }

  @Test("a page is called one") func page() {
    let page = Array("\n<!DOCTYPE html><html><body>Not found</body></html>".utf8)
    #expect(
      AssociationFileReading(page, at: "a").diagnostics.first?.problem
        == "it is an HTML page, not JSON")
    #expect(
      AssetLinksReading(page, at: "a").diagnostics.first?.problem == "it is an HTML page, not JSON")
  }
}
