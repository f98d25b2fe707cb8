import Testing

@testable import Records

@Suite("The name of a request")
struct RequestNameTests {
  @Test(
    "is the user's when nobody can guess it, else that of a sandboxed application alone",
    arguments: [
      ("1", "com.example.ios"), ("job-2026-11-22-000000000000000000001", "com.example.ios"),
      ("0123456789abcdef0123456789abcde", "com.example.ios"),
      ("0123456789abcdef0123456789ABCDEF", ""), ("7A1F6E0C-9B1D-4C53-8F07-3D5B1C0A9E42", ""),
      ("lsopen-00000000000000000123456789abcdef#0,1", ""),
    ])
  func scope(_ id: String, _ scope: String) {
    #expect(RequestName(id, confined: "com.example.ios").scope == scope)
    #expect(RequestName(id, confined: nil).scope == "")
  }

  @Test("of a part is found by that of its call") func parts() {
    let call = RequestName("a#b", scope: "x")
    #expect(RequestName("a#b#0,1", scope: "x").isPart(of: call))
    #expect(!RequestName("a#b#0,1").isPart(of: call))
    #expect(!RequestName("a#bc#0", scope: "x").isPart(of: call))
    #expect(RequestName("a#b#0", scope: "x").ofParts == call.ofAnyParts)
    #expect(RequestName("a").ofParts == nil)
  }
}
