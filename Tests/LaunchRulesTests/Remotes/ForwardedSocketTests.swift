import LaunchRules
import Testing

@Suite("The names of the sockets of lsopen ssh") struct ForwardedSocketTests {
  private let origin = ForwardedSocket.origin(boot: "b", device: 7, file: 8)

  @Test("All sessions of a remote have the same origin, which is in the name of each socket")
  func sessions() {
    for token in ["0123456789abcdef", "ffffffffffffffff"] {
      let name = ForwardedSocket.prefix + ForwardedSocket.ending(origin: origin, token: token)
      #expect(name == "forwarded-\(origin)-\(token.prefix(8))")
      #expect(ForwardedSocket.origin(ofName: name) == origin)
    }
  }

  @Test("Another start of the system, another file system and another folder are another origin")
  func others() {
    let all = [
      origin, ForwardedSocket.origin(boot: "c", device: 7, file: 8),
      ForwardedSocket.origin(boot: "b", device: 8, file: 7),
      ForwardedSocket.origin(boot: "b", device: 7, file: 9),
    ]
    #expect(Set(all).count == all.count)
    #expect(all.allSatisfy { $0.utf8.count == 16 })
  }

  @Test(
    "Other files have no origin",
    arguments: [
      "forwarded", "forwarded-", "forwarded-0123456789abcdef", "forwarded-live",
      "forwarded-0123456789abcdef-0123", "socket-0123456789abcdef-01234567",
      "forwarded-0123456789abcdef-01234567-x",
    ])
  func files(name: String) {
    #expect(ForwardedSocket.origin(ofName: name) == nil)
  }

  @Test("A session without a known origin has a name of its own") func unknown() {
    let name =
      ForwardedSocket.prefix + ForwardedSocket.ending(origin: nil, token: "0123456789abcdef")
    #expect(name == "forwarded-0123456789abcdef")
    #expect(ForwardedSocket.origin(ofName: name) == nil)
  }
}
