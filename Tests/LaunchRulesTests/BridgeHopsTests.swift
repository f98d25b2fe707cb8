import LaunchRules
import Testing

@Suite("URLs that go round")
struct BridgeHopsTests {
  @Test("count rounds of one scheme, and of all") func counts() throws {
    let https = Sample.scheme("https")
    let ssh = Sample.scheme("ssh")
    #expect(BridgeHops.next(https, after: nil).text == "https 1 1")
    #expect(BridgeHops.next(https, after: BridgeHops(https, count: 2)).text == "https 3 3")
    #expect(BridgeHops.next(https, after: BridgeHops(ssh, count: 2)).text == "https 1 3")
    #expect(BridgeHops.next(https, after: BridgeHops("https x x")).text == "https 1 1")
    #expect(BridgeHops.next(https, after: BridgeHops("https 99999 99999")).text == "https 6 21")
  }

  @Test(
    "are read as they are written, and nothing else",
    arguments: [
      "", "https", "https 1", "https -1 1", "https 0 1", "1 1 https", "https 2 1", "https 1 2 3",
      "https  1",
    ])
  func text(_ wrong: String) {
    #expect(BridgeHops("https 3 4")?.text == "https 3 4")
    #expect(BridgeHops(wrong) == nil)
  }
}
