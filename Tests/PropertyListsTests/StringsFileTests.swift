import Foundation
import LaunchRules
import PropertyLists
import Testing

@Suite struct `Strings files` {
  static let xml = """
    <plist version="1.0"><dict><key>CFBundleName</key><string>Fotos</string></dict></plist>
    """

  private static func utf16(_ text: String) -> [UInt8] {
    [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  private static func binary(_ texts: [String: String]) throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return Array(try encoder.encode(texts))
  }

  private func read(_ bytes: [UInt8]) -> StringsFile { StringsFile(bytes, at: "/a/de.lproj/x") }

  private func findings(_ bytes: [UInt8]) -> [String] {
    read(bytes).diagnostics.map(\.description)
  }

  static let forms: [(String, [UInt8])] = [
    ("old style", Array("/* name */\n\"CFBundleName\" = \"Fotos\";\n".utf8)),
    ("old style without quotes", Array("CFBundleName = Fotos;".utf8)),
    ("old style in braces", Array("{ CFBundleName = Fotos; }".utf8)),
    ("old style with a mark in front", [0xEF, 0xBB, 0xBF] + Array("CFBundleName = Fotos;".utf8)),
    ("UTF-16", utf16("\"CFBundleName\" = \"Fotos\";")),
    ("XML", Array(xml.utf8)),
    ("XML in UTF-16", utf16(xml)),
  ]

  @Test("R1.8 every form that Apple's tools write is read", arguments: forms)
  func form(name: String, bytes: [UInt8]) {
    #expect(read(bytes).texts == ["CFBundleName": "Fotos"])
    #expect(findings(bytes) == [])
  }

  @Test("R1.8 the binary form, as builds make it") func binary() throws {
    let texts = ["CFBundleName": "Fotos", "com.example.photos": "Fotoadresse"]
    #expect(read(try Self.binary(texts)).texts == texts)
  }

  @Test("escapes are those of the format") func escapes() {
    #expect(
      read(Array(#""CFBundleName" = "F\U00fcr \"dich\"\n";"#.utf8)).texts["CFBundleName"]
        == "Für \"dich\"\n")
  }

  static let badFiles: [([UInt8], String)] = [
    (
      [],
      "the file is empty; the texts of this language are not used: write \"KEY\" = \"TEXT\"; lines into it"
    ),
    (
      Array("\"CFBundleName\" = \"Fotos\"".utf8),
      "it is not a strings file (the decoder says: Missing ';'); the texts of this language are not "
        + "used: correct it; each line is \"KEY\" = \"TEXT\";"
    ),
    (
      [0x22, 0],
      "the file contains zero bytes; the texts of this language are not used: save it as UTF-8; it may "
        + "be damaged, or UTF-16 without a byte order mark"
    ),
    (
      Array("<plist><dict>".utf8),
      "the XML ends too early; the texts of this language are not used: copy it again: it was "
        + "probably cut short"
    ),
    (
      Array("(a, b)".utf8),
      "it contains no keys; the texts of this language are not used: write \"KEY\" = \"TEXT\"; lines "
        + "into it"
    ),
  ]

  @Test("one that cannot be read is a warning that names the file", arguments: badFiles)
  func bad(bytes: [UInt8], sentence: String) {
    #expect(read(bytes).texts == [:])
    #expect(findings(bytes) == ["/a/de.lproj/x: warning: " + sentence])
  }

  @Test("a value that is no text is a warning, and the others count") func notText() {
    let file = read(Array("a = (b); CFBundleName = Fotos;".utf8))
    #expect(file.texts == ["CFBundleName": "Fotos"])
    #expect(
      file.diagnostics.map(\.description) == [
        "/a/de.lproj/x: a: warning: is an array, but must be text; it was ignored"
      ])
  }

  @Test("nesting without end neither crashes nor is believed", arguments: ["(", "{a=", "<"])
  func deep(brace: String) {
    let text = "a = " + String(repeating: brace, count: StringsFile.largestSize / brace.utf8.count)
    let file = read(Array(text.utf8))
    #expect(file.texts == [:])
    #expect(file.diagnostics.count == 1)
  }
}
