import LaunchRules
import PropertyLists
import Testing

@Suite(.timeLimit(.minutes(30))) struct `Unreadable bytes` {
  @Test(
    "are refused with the reason",
    arguments: [
      ("", "the file is empty"), (" \n\t", "the file contains only blanks"),
      ("hello", "the file is neither an XML nor a binary property list"),
      ("{\"a\": 1}", "the file looks like JSON or an old-style property list"),
      ("bplist00", "the file begins like a binary property list, but ends too early"),
      (
        "bplist00" + String(repeating: "x", count: 100),
        "the binary property list is damaged or cut short: its header states 8680820740569200760"
          + " objects in 108 bytes"
      ), ("<?xml version=\"1.0\" ", "the XML ends too early"),
      ("<plist><dict><key>a</key><string>b", "the XML ends too early"),
      ("<?xml version=\"1.0\" encoding=\"U", "the XML ends too early"),
      ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUB", "the XML ends too early"),
      ("<?xml version=\"1.0\"?><!DOCTYPE plist><pl", "the XML ends too early"),
      ("<plist><dict><k", "the XML ends too early"),
      ("<plist><dict><key>a</key><string>b</string></dict>", "the XML ends too early"),
      (
        "<plist><array/></plist>",
        "the top level of the property list is not a readable dictionary"
      ),
      (
        "<html><body/></html>",
        "the XML is not a property list (the decoder says: Encountered unknown tag html)"
      ),
      (
        "<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><plist><dict/></plist>",
        "the XML declares another encoding than UTF-8"
      ),
      (
        "<!DOCTYPE plist [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><plist><dict/></plist>",
        "the XML defines entities of its own, which property lists must not"
      ), ("<plist>\0</plist>", "the file contains zero bytes, which XML does not allow"),
      (
        "<plist><dict>\n\t#ifdef X\n<key>a</key><true/>\n#endif\n</dict></plist>",
        "the file contains lines for the C preprocessor, such as #if"
      ),
    ])
  func refused(_ text: String, _ problem: String) {
    let reading = readBytes(Array(text.utf8))
    #expect(reading.declaration == nil)
    #expect(reading.diagnostics.map(\.severity) == [.error])
    #expect(reading.diagnostics.map(\.problem) == [problem])
    #expect(
      reading.diagnostics.first?.consequence.hasPrefix("the application was not registered: ")
        == true)
  }

  @Test func `of 100 MB are refused`() {
    let reading = readBytes([UInt8](repeating: 0x20, count: 100 << 20))
    #expect(
      reading.diagnostics.map(\.problem) == [
        "the file has 104857600 bytes; a property list may have 4194304"
      ])
  }

  @Test func `up to the largest size are read`() {
    let keys = "<key>CFBundleIdentifier</key><string>com.example.app</string>"
    let document = document(keys)
    let size = InfoPropertyList.largestSize
    let padding = String(repeating: " ", count: size - document.utf8.count)
    #expect(readBytes(Array((document + padding).utf8)).declaration != nil)
    #expect(readBytes(Array((document + padding + " ").utf8)).declaration == nil)
  }

  @Test("in UTF-16 with a byte order mark are read", arguments: [true, false])
  func utf16(_ isBigEndian: Bool) {
    let text = document(
      """
      <key>CFBundleIdentifier</key><string>com.example.app</string>\
      <key>CFBundleName</key><string>Äpp</string>
      """
    ).replacing("UTF-8", with: "UTF-16")
    let bytes = ("\u{FEFF}" + text).utf16.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBigEndian ? [high, low] : [low, high]
    }
    #expect(readBytes(bytes).declaration?.name == "Äpp")
  }

  @Test func `with a UTF-8 byte order mark are read`() {
    let text = "\u{FEFF}" + document("<key>CFBundleIdentifier</key><string>a.b</string>")
    #expect(readBytes(Array(text.utf8)).declaration?.identifier.text == "a.b")
  }

  @Test func `in one text cost that text alone`() {
    let text = document(
      """
      <key>CFBundleIdentifier</key><string>a.b</string>\
      <key>CFBundleName</key><string>\u{FF}</string>
      """)
    // The letter U+00FF as it would stand in ISO 8859-1, where it is no UTF-8.
    let bytes = Array(text.utf8).split(separator: 0xC3).joined(separator: [])
    let reading = readBytes(Array(bytes))
    #expect(reading.declaration?.identifier.text == "a.b")
    #expect(
      reading.diagnostics.map(\.problem) == ["is data or a date, but must be text"])
  }
}

@Suite(.timeLimit(.minutes(30))) struct `Hostile XML` {
  static func nested(_ open: String, _ close: String, _ count: Int) -> String {
    String(repeating: open, count: count) + String(repeating: close, count: count)
  }

  @Test(
    "nested twenty thousand deep is refused",
    arguments: [
      ("<array>", "</array>"), ("<dict><key>k</key>", "</dict>"), ("<plist>", "</plist>"),
      ("<array x='/'>", "</array>"), ("<arrayish>", "</arrayish>"),
      ("<array><!-- </array></array> -->", "</array>"),
      ("<array><string><![CDATA[</array></array>]]></string>", "</array>"),
      ("<array><?x </array></array> ?>", "</array>"), ("<array x='</array'>", "</array>"),
      ("<array><!---></array>-->", "</array>"),
    ])
  func deep(_ open: String, _ close: String) {
    let keys =
      "<key>CFBundleIdentifier</key><string>a.b</string><key>X</key>"
      + Self.nested(open, close, 20_000)
    let problems = readBytes(Array(document(keys).utf8)).diagnostics.map(\.problem)
    #expect(problems == ["its arrays and dictionaries are nested more than 512 deep"])
  }

  @Test func `nested 500 deep is read`() {
    #expect(
      readApplication("<key>X</key>" + Self.nested("<array>", "</array>", 500)).declaration != nil)
  }

  @Test func `with thousands of empty and closed collections side by side is read`() {
    let many = String(repeating: "<array/><dict /><array></array><dict></dict>", count: 5000)
    #expect(readApplication("<key>X</key><array>\(many)</array>").declaration != nil)
  }

  @Test("with a million openings and no end is refused", arguments: ["<", "<array", "<!--", "<?"])
  func unterminated(_ text: String) {
    let reading = readBytes(Array(("<plist>" + String(repeating: text, count: 500_000)).utf8))
    #expect(reading.declaration == nil)
    #expect(reading.diagnostics.map(\.severity) == [.error])
  }

  @Test func `with more values than any application declares is refused`() {
    let many = String(repeating: "<string>a</string>", count: 150_000)
    let reading = readApplication(
      "<key>LSApplicationQueriesSchemes</key><array>\(many)</array>")
    #expect(reading.declaration == nil)
    #expect(
      reading.diagnostics.last?.problem
        == "the property list expands to far more values than an application declares")
  }

  @Test func `gets no more diagnostics than a person would read`() {
    let many = String(repeating: "<string>a_</string>", count: 5000)
    let reading = readApplication(
      """
      <key>CFBundleURLTypes</key><array><dict><key>CFBundleURLSchemes</key>\
      <array>\(many)</array></dict></array>
      """)
    #expect(reading.declaration?.urlTypes == [])
    #expect(reading.diagnostics.count == 201)
    #expect(reading.diagnostics.last?.problem == "4800 more findings are left out")
  }

  @Test func `with a duplicate key keeps the last one`() {
    let reading = readApplication(
      "<key>CFBundleName</key><string>a</string><key>CFBundleName</key><string>b</string>")
    #expect(reading.declaration?.name == "b")
  }
}
