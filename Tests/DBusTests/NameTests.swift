import DBus
import Testing

@Suite("Names on the bus") struct NameTests {
  static let long = "a." + String(repeating: "b", count: 254)

  @Test("bus names", arguments: ["org.example.Name", ":1.42", "a.b"])
  func busName(_ text: String) { #expect(BusName(text)?.text == text) }

  @Test(
    "what is no bus name", arguments: ["", "org", "org..x", ".org", "org.ex\0mple", long, "é.b"])
  func noBusName(_ text: String) { #expect(BusName(text) == nil) }

  @Test(
    "object paths",
    arguments: [
      ("/", true), ("/a/b_1", true), ("", false), ("a", false), ("/a/", false), ("/a-b", false),
      ("/\0", false),
    ])
  func path(_ text: String, _ isValid: Bool) { #expect((ObjectPath(text) != nil) == isValid) }

  @Test(
    "members",
    arguments: [("Open", true), ("", false), ("a.b", false), ("1a", false), ("é", false)])
  func member(_ text: String, _ isValid: Bool) { #expect((MemberName(text) != nil) == isValid) }

  @Test(
    "signatures",
    arguments: [
      ("sa{sv}", true), ("{sv}", true), ("", true), ("a", false), ("(s", false), ("z", false),
    ])
  func signature(_ text: String, _ isValid: Bool) { #expect((Signature(text) != nil) == isValid) }
}
