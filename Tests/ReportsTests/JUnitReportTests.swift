import Foundation
import FoundationXML
import Reports
import Testing

/// The elements of a document, read by libxml2.
private final class Elements: NSObject, XMLParserDelegate {
  struct Element: Equatable {
    var name: String
    var attributes: [String: String]
    var text = ""
  }
  private(set) var all: [Element] = []
  private var open: [Int] = []

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    open.append(all.count)
    all.append(Element(name: name, attributes: attributes))
  }
  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) { open.removeLast() }
  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if let place = open.last { all[place].text += text }
  }
}

struct JUnitReportTests {
  @Test func aRealReaderFindsEveryCase() throws {
    let run = ReportRun(start: "2026-11-24T07:34:12", host: "ci", token: "t")
    let lines = mixed.lines(.junit, run)
    #expect(!lines.contains { $0.contains("\n") })
    let text = lines.joined(separator: "\n")
    let elements = Elements()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = elements
    try #require(parser.parse(), "\(String(describing: parser.parserError)) in\n\(text)")

    let counts = [
      "tests": "5", "failures": "1", "errors": "1", "skipped": "1", "time": "1.204",
    ]
    #expect(
      elements.all.map(\.name) == [
        "testsuites", "testsuite", "testcase", "testcase", "failure", "system-out", "testcase",
        "skipped", "testcase", "error", "testcase", "system-out",
      ])
    #expect(elements.all[0].attributes == counts.merging(["name": "lstest"]) { $1 })
    #expect(
      elements.all[1].attributes
        == counts.merging([
          "name": "photos", "timestamp": "2026-11-24T07:34:12", "hostname": "ci",
          "file": "photos.json",
        ]) { $1 })
    #expect(
      elements.all[3].attributes == [
        "classname": "photos", "name": "open <a href=\"x\">#1", "file": "photos.json", "line": "7",
      ])
    #expect(
      elements.all[4].attributes == [
        "message": "expected 50% & got\nnothing", "type": "wrong, handler: x",
      ])
    #expect(
      elements.all[4].text
        == "photos.json:7:3: failure: expected 50% & got\nnothing\n  url: the scheme is known")
    #expect(elements.all[5].text == "::error::from a handler \u{FFFD}")
    #expect(elements.all[7].attributes == ["message": "photos does not run"])
  }
}
