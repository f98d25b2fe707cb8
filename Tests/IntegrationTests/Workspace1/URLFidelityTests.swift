import LaunchServicesTesting
import Testing

@Suite("R2.4 a URL arrives byte for byte", .timeLimit(.minutes(30)))
struct URLFidelityTests {
  static let urls = [
    "myapp:a%2Fb?x=%E4%B8%AD#f", "MyApp://HOST/Path", "myapp:opaque/../x", "myapp:", "myapp:?",
    "myapp:#", "myapp:?#", "myapp://h//p/./..", "myapp://user:pass@h:0/;p=1?q=a+b&&=#?",
    "myapp:%00%ff%41", "myapp:///", "myapp:a:b:c", "myapp://[::1]:8080/x", "myapp:'();,*!~",
  ]

  @Test("Cold and warm", arguments: urls)
  func url(_ url: String) async throws { try await arrives(url) }

  @Test("100 kB") func long() async throws {
    try await arrives("myapp:" + String(repeating: "%20abcdefg", count: 10_000))
  }

  private func arrives(_ url: String) async throws {
    try await Testbed.run { world in
      let application = try await world.install("com.example.a", schemes: ["myapp"])
      _ = try await world.client.open(url)
      _ = try await world.client.open(url)
      // A message of its own, because a difference of 100 kB is no help.
      #expect(
        application.heard() == [
          .started, .checkedIn(.launchOptions(OpenedURL(url))), .finishing, .opened(url),
          .opened(url),
        ] as [HandlerEvent])
    }
  }

  @Test(
    "A text that is no URL is refused and launches nothing",
    arguments: [
      ("", "the URL is empty"), ("noscheme", "noscheme has no scheme; a URL begins like myapp:"),
      (
        "myapp:a b",
        "the URL contains characters that must be percent-encoded; did you mean myapp:a%20b"
      ),
      (
        "myapp:中",
        "the URL contains characters that must be percent-encoded; did you mean myapp:%E4%B8%AD"
      ),
      (
        "myapp:q0z%20b c?d=%e4%2#%41",
        "the URL contains characters that must be percent-encoded; did you mean"
          + " myapp:q0z%20b%20c?d=%e4%252#%41"
      ),
    ])
  func noURL(_ url: String, _ sentence: String) async throws {
    try await Testbed.run { world in
      let application = try await world.install("com.example.a", schemes: ["myapp"])
      await #expect(throws: Refusal("InvalidURL", "\(sentence) (OSStatus error -50)")) {
        try await world.client.open(url)
      }
      #expect(application.heard() == [])
    }
  }
}
