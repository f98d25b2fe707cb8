import KeyLines
import Testing

private func lines(_ text: String) -> KeyLines { KeyLines(Array(text.utf8)) }

struct KeyLinesTests {
  private let json = lines(
    """
    {
      "name": "a{b",
      "steps": [
        {"open": "x:1",
         "expect": {"launch": "cold"}},
        7,

        "text"
      ],
      "sites": {}
    }
    """)

  @Test(
    "of JSON",
    arguments: [
      ("name", 2), ("steps", 3), ("steps[0]", 4), ("steps[0].open", 4), ("steps[0].expect", 5),
      ("steps[0].expect.launch", 5), ("steps[1]", 6), ("steps[2]", 8), ("sites", 10),
    ]) func ofJSON(_ path: String, _ line: Int)
  {
    #expect(json.line(of: path) == line)
  }

  @Test("a path without a place has the line of what is around it") func around() {
    #expect(json.line(of: "steps[0].expect.nothing[3].x") == 5)
    #expect(json.line(of: "nothing") == 1)
  }

  private let xml = lines(
    """
    <?xml version="1.0"?>
    <!DOCTYPE plist>
    <plist version="1.0">
    <!-- <key>hidden</key> -->
    <dict>
      <key>CFBundleURLTypes</key>
      <array>
        <dict><key>CFBundleURLSchemes</key><array>
          <string>a</string>
          <string><![CDATA[<key>no</key>]]></string>
          <string/>
        </array></dict>
      </array>
      <key>a&amp;b</key><true/>
      <key>last</key>
      <dict/>
    </dict>
    </plist>
    """)

  @Test(
    "of an XML property list",
    arguments: [
      ("CFBundleURLTypes", 6), ("CFBundleURLTypes[0]", 8),
      ("CFBundleURLTypes[0].CFBundleURLSchemes", 8),
      ("CFBundleURLTypes[0].CFBundleURLSchemes[0]", 9),
      ("CFBundleURLTypes[0].CFBundleURLSchemes[1]", 10),
      ("CFBundleURLTypes[0].CFBundleURLSchemes[2]", 11), ("a&b", 14), ("last", 15), ("hidden", 5),
      ("no", 5),
    ]) func ofXML(_ path: String, _ line: Int)
  {
    #expect(xml.line(of: path) == line)
  }

  @Test("another text has none") func none() {
    #expect(lines("bplist00{").line(of: "a") == nil)
    #expect(lines("").line(of: "a") == nil)
  }

  @Test("damaged and deep texts end") func damaged() {
    for text in ["{\"a\": [", "<plist><dict><key>a", "<", "{\"", "<dict><!--", "[[[{\"a\":"] {
      _ = lines(text).line(of: "a")
    }
    let deep = String(repeating: "[", count: 100_000)
    #expect(lines(deep).line(of: "") == 1)
    #expect(lines("<plist>" + String(repeating: "<array>", count: 100_000)).line(of: "") == 1)
  }
}
