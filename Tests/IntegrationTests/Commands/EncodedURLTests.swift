import LaunchServicesTesting
import Testing

/// URLs as Apple's documents print them, typed into a shell.
@MainActor @Suite("URLs that need encoding", .timeLimit(.minutes(30)))
struct EncodedURLTests {
  nonisolated static let urls: [(String, String)] = [
    (
      #"myphotoapp:albumname?name="albumname""#, "myphotoapp:albumname?name=%22albumname%22"
    ),
    ("iapp://app?region=中国", "iapp://app?region=%E4%B8%AD%E5%9B%BD"),
    ("iapp://a b?c=%20|#d e", "iapp://a%20b?c=%20%7C#d%20e"),
  ]

  @Test(
    "E1, G3: reach the handler percent-encoded, and with --verbatim are refused", arguments: urls)
  func encoded(written: String, sent: String) async throws {
    try await Testbed.run { world in
      let handler = try await world.install("com.example.a", schemes: ["myphotoapp", "iapp"])
      let lsopen = try world.startProcess("lsopen", [written])
      #expect(try await lsopen.hasEnded() == "exited with code 0")
      // Not a terminal: nothing is said.
      #expect(lsopen.lines == [])
      #expect(handler.heard().last == .opened(sent))
      let verbatim = try world.startProcess("lsopen", ["--verbatim", written])
      #expect(try await verbatim.hasEnded() == "exited with code 4")
      #expect(
        verbatim.lines == [
          "lsopen: the URL contains characters that must be percent-encoded; did you mean \(sent) (OSStatus error -50)"
        ])
      // What is a URL is sent byte for byte.
      let again = try world.startProcess("lsopen", [sent])
      #expect(try await again.hasEnded() == "exited with code 0")
      #expect(handler.heard().last == .opened(sent))
    }
  }
}
