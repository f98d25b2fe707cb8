import LaunchRules
import Testing

@Suite struct `Hosts of system applications` {
  private static let browser = Sample.app("browser", claims: ["http", "https"], system: true)
  private static let maps = Sample.app("maps", system: true, hosts: ["maps.apple.com"])

  private func handler(
    _ scheme: String, _ host: String?, in registry: Registry
  ) -> String? {
    let target = OpenTarget(
      scheme: Sample.scheme(scheme), host: host.flatMap(WebHost.init))
    return try? registry.choose(target).identifier.text
  }

  @Test("R2.12 R4.10 R4.20 get web URLs before the browser", arguments: ["http", "https"])
  func beforeBrowser(_ scheme: String) {
    let registry = Sample.registry([Self.browser, Self.maps])
    #expect(handler(scheme, "maps.apple.com", in: registry) == "maps")
    #expect(handler(scheme, "MAPS.apple.com.", in: registry) == "maps")
    for other in ["apple.com", "maps.apple.com.example.com", "xmaps.apple.com", nil] {
      #expect(handler(scheme, other, in: registry) == "browser")
    }
    let candidates = registry.candidates(
      for: Sample.scheme(scheme), host: WebHost("maps.apple.com"))
    #expect(candidates.map(\.identifier.text) == ["maps", "browser"])
    #expect(candidates.map(\.reason) == [.specialHost, .system])
  }

  @Test("R1.44 R4.10 also before the browser that the user chose") func beforeChoice() {
    let registry = Sample.registry(
      [
        Self.browser, Self.maps,
        Sample.app("fox", claims: ["http", "https"], entitlements: [.webBrowser]),
      ], bound: ["http": "fox"])
    #expect(handler("http", "example.com", in: registry) == "fox")
    #expect(handler("http", "maps.apple.com", in: registry) == "maps")
  }

  @Test("R2.7 play no part for other schemes") func otherSchemes() {
    let registry = Sample.registry([Self.maps, Sample.app("a", claims: ["x"])])
    #expect(handler("x", "maps.apple.com", in: registry) == "a")
  }

  @Test("R2.12 without the system application go to the browser") func notInstalled() {
    var registry = Sample.registry([Self.browser, Self.maps])
    registry.remove(propertyList: Self.maps.propertyList)
    #expect(handler("http", "maps.apple.com", in: registry) == "browser")
    registry.install(Sample.app("maps", system: true))
    #expect(handler("http", "maps.apple.com", in: registry) == "browser")
  }

  @Test("R2.12 of third-party applications do not count") func thirdParty() {
    let registry = Sample.registry([Self.browser, Sample.app("a", hosts: ["maps.apple.com"])])
    #expect(handler("http", "maps.apple.com", in: registry) == "browser")
  }

  @Test("R5.28 a chosen application comes before them") func designated() throws {
    let registry = Sample.registry([Self.browser, Self.maps])
    let target = OpenTarget(
      scheme: Sample.scheme("http"), host: WebHost("maps.apple.com"),
      designated: Sample.id("browser"))
    #expect(try registry.choose(target).identifier.text == "browser")
  }

  @Test(
    "are names of ASCII letters, digits, - and .",
    arguments: ["", ".", "a..b", "a b", "é.example", "a%2Eb", "[::1]", "a:80", "a/b"])
  func notAHost(_ text: String) { #expect(WebHost(text) == nil) }

  @Test("a host has at most 253 characters") func longest() {
    let host = String(repeating: "a.", count: 126) + "b"
    #expect(WebHost(host)?.text == host)
    #expect(WebHost(host + "c") == nil)
  }

  /// A scheme, the application that is missed, and what it is called.
  @Test(
    "R2.11 a documented scheme that nobody handles names the application that is missing",
    arguments: [
      ("mailto", "Mail"), ("tel", "Phone"), ("facetime", "FaceTime"),
      ("facetime-audio", "FaceTime"), ("sms", "Messages"), ("http", "Safari"), ("https", "Safari"),
    ])
  func missing(_ scheme: String, _ name: String) {
    let registry = Sample.registry([Self.maps])
    let target = OpenTarget(scheme: Sample.scheme(scheme), host: WebHost("example.com"))
    #expect(
      throws: OpenFailure.applicationNotFound(
        "\(name) is not installed, and no application is registered for the scheme \(scheme);"
          + " install org.launchservices.system.\(name) or an application that claims \(scheme)")
    ) { try registry.choose(target) }
    let claimed = Sample.registry([Sample.app("a", claims: [scheme])])
    #expect(claimed.missingSystemApplication(for: Sample.scheme(scheme), opener: nil) == nil)
    #expect(handler(scheme, nil, in: claimed) == "a")
  }

  @Test("R2.11 nothing is missed for other schemes") func notMissing() {
    #expect(Registry().missingSystemApplication(for: Sample.scheme("maps"), opener: nil) == nil)
  }
}
