import LaunchRules
import Testing

@testable import LaunchServicesDaemon

@Suite("The local callback of a login") struct LoginCallbackTests {
  private func login(_ target: String) -> String {
    "https://login.example/authorize?client_id=1&redirect_uri=\(target)&state=2"
  }

  @Test(
    "The port of the machine itself is found",
    arguments: [
      ("http%3A%2F%2Flocalhost%3A8085%2F", 8085, .localhost),
      ("http://127.0.0.1:40001/callback", 40001, .ipv4),
      ("http%3A%2F%2F%5B%3A%3A1%5D%3A5000", 5000, .ipv6),
      ("HTTP%3A%2F%2FLOCALHOST%3A1024", 1024, .localhost),
    ] as [(String, UInt16, LoopbackHost)])
  func found(target: String, port: UInt16, host: LoopbackHost) {
    #expect(LoginCallback(login(target))?.port == port)
    #expect(LoginCallback(login(target))?.host == host)
  }

  @Test(
    "No port is forwarded for another machine, a privileged port, or a URL without a clear callback",
    arguments: [
      "ftp%3A%2F%2Flocalhost%3A8085%2F", "http%3A%2F%2Fexample.com%3A8085",
      "http%3A%2F%2Flocalhost%3A631", "http%3A%2F%2Flocalhost",
      "http%3A%2F%2Flocalhost.example%3A8085",
      "myapp%3A%2F%2Flocalhost%3A8085",
      "http%3A%2F%2Flocalhost%3A8085&redirect_uri=http://localhost:9999",
      "",
    ])
  func notFound(target: String) {
    #expect(LoginCallback(login(target)) == nil)
  }

  @Test("A page of the machine itself is found, too") func ownPage() {
    #expect(LoginCallback("http://localhost:8888/tree?token=1")?.port == 8888)
    #expect(LoginCallback("http://localhost:8888/tree?token=1")?.end == .closed)
    #expect(LoginCallback(login("http://localhost:8888/"))?.end == .once)
    #expect(
      LoginCallback("http://127.0.0.1:53682/auth?redirect_uri=http://localhost:1")?.port == 53682)
    #expect(LoginCallback("http://localhost/") == nil)
  }

  @Test("Only web URLs are logins") func otherSchemes() {
    #expect(LoginCallback("mailto:a?redirect_uri=http://localhost:8085") == nil)
  }
}
