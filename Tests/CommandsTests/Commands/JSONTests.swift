import Commands
import DBus
import Foundation
import Testing

@Suite struct JSONTests {
  static let strings = [
    "", "plain", "quote\" backslash\\ slash/", "\n\r\t\0\u{1}\u{1f}\u{7f}\u{9b}", "é 漢字 👩‍👩‍👧",
    "\u{202e}right to left\u{2028}", "\u{10ffff}", "e\u{301}",
  ]

  @Test("a string comes back as it was, and holds nothing a terminal acts on", arguments: strings)
  func writesString(text: String) throws {
    let json = JSON.text(["key": .string(text)])
    let read = try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
    #expect(read["key"].map { Array($0.utf8) } == Array(text.utf8))
    #expect(json.visible == json)
  }

  static let values: [(Value, String)] = [
    (.byte(255), "255"),
    (.boolean(true), "true"),
    (.int16(-1), "-1"),
    (.uint16(1), "1"),
    (.int32(-2), "-2"),
    (.uint32(2), "2"),
    (.int64(.min), "-9223372036854775808"),
    (.uint64(.max), "18446744073709551615"),
    (.double(0.5), "0.5"),
    (.double(1e300), "1e+300"),
    (.double(.nan), "null"),
    (.objectPath("/a"), #""/a""#),
    (.signature("a{sv}"), #""a{sv}""#),
    (.variant(.variant(.string("x"))), #""x""#),
    (.strings([]), "[]"),
    (.strings(["a", "b"]), #"["a","b"]"#),
    (.options([:]), "{}"),
    (.structure([.string("a"), .uint32(1)]), #"["a",1]"#),
    (.optionsList([["b": .byte(1), "a": .options(["c": .byte(2)])]]), #"[{"a":{"c":2},"b":1}]"#),
    (
      .array(of: "{uv}", [.dictionaryEntry(.uint32(5), .variant(.boolean(false)))]),
      #"{"5":false}"#
    ),
    (
      .options(["shortcut-items": .array(of: "(ss)", [.structure([.string("t"), .string("T")])])]),
      #"{"shortcut-items":[{"type":"t","title":"T"}]}"#
    ),
    (
      .options(["steps": .array(of: "(s)", [.structure([.string("t")])])]),
      #"{"steps":[["t"]]}"#
    ),
  ]

  @Test("each type of D-Bus has its form", arguments: values)
  func writesValue(value: Value, json: String) throws {
    #expect(JSON.text(value) == json)
    _ = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
  }
}
