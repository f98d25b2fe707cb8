import LaunchRules
import Testing

@Suite("Bundle identifiers") struct BundleIdentifierTests {
  @Test(
    "are names on the bus when they have two parts, none of which is empty or begins with a digit",
    arguments: [
      ("com.example.photos", true), ("a.b", true), ("a", false), ("a.1b", false), ("1a.b", false),
      ("a..b", false), (".a.b", false), ("a.b.", false), ("a.-b", true), ("a.b.3", false),
    ])
  func busNames(_ text: String, _ isBusName: Bool) throws {
    #expect(try #require(BundleIdentifier(text)).isBusName == isBusName)
  }

  @Test("have at most 255 bytes of letters, digits, - and .") func characters() {
    #expect(BundleIdentifier(String(repeating: "a", count: 255)) != nil)
    #expect(BundleIdentifier(String(repeating: "a", count: 256)) == nil)
    for text in ["", "a b", "a_b", "ü", "a/b", "a\u{0}"] { #expect(BundleIdentifier(text) == nil) }
  }

  @Test("may be desktop IDs with any character of a file name, which nobody may declare")
  func desktopIDs() {
    for text in ["a_b.desktop", "My App.desktop", "ü@+~.desktop"] {
      #expect(BundleIdentifier(text)?.text == text)
      #expect(BundleIdentifier.declared(text) == nil)
      #expect(BundleIdentifier(text)?.isBusName == false)
    }
    #expect(BundleIdentifier.declared("a.desktop")?.isBusName == true)
    for text in ["_.desktop/", "a/b_.desktop", "_\n.desktop", "a_.Desktop"] {
      #expect(BundleIdentifier(text) == nil)
    }
    #expect(BundleIdentifier("A_@.desktop") == BundleIdentifier("a_@.desktop"))
    #expect(BundleIdentifier("a_@.desktop") != BundleIdentifier("a_`.desktop"))
  }

  @Test("are compared without regard to case, and keep how they are written") func letters() throws
  {
    let (one, two) = (
      try #require(BundleIdentifier("Com.Example.AZ")),
      try #require(BundleIdentifier("com.example.az"))
    )
    #expect(one == two && one.hashValue == two.hashValue)
    #expect(one.text == "Com.Example.AZ" && one.key == "com.example.az")
    #expect(!(one < two) && !(two < one))
  }
}
