import LaunchRules
import Testing

@Suite("URLs that go round")
struct BridgeHopsTests {
  @Test("count rounds of one scheme") func counts() throws {
    let https = Sample.scheme("https")
    #expect(BridgeHops.next(https, after: nil) == 1)
    #expect(BridgeHops.next(https, after: BridgeHops(https, count: 2)) == 3)
    #expect(BridgeHops.next(https, after: BridgeHops(Sample.scheme("ssh"), count: 2)) == 1)
    #expect(BridgeHops.next(https, after: BridgeHops("https x")) == 1)
    #expect(BridgeHops.next(https, after: BridgeHops("https 99999")) == BridgeHops.most + 1)
  }

  @Test(
    "are read as they are written, and nothing else",
    arguments: ["", "https", "https -1", "https 0", "1 https", "https 1 2", "https  1"])
  func text(_ wrong: String) {
    #expect(BridgeHops("https 3")?.text == "https 3")
    #expect(BridgeHops(wrong) == nil)
  }
}
