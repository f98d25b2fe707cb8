import LaunchRules
import PropertyLists
import Testing

@Suite struct `Associated domains of an application` {
  private func array(_ entries: [String]) -> String {
    "<key>com.apple.developer.associated-domains</key><array>"
      + entries.map { "<string>\($0)</string>" }.joined() + "</array>"
  }

  @Test("R8.1 are read from entitlements, odd ones with a diagnostic") func entitlements() {
    let entitlements = Entitlements(
      Array(
        document(
          array([
            "applinks:my.com", "webcredentials:my.com", "applinks:*.my.com?mode=developer",
            "applinks:my.com", "applinks:https://my.com", "applinks:$(HOST)",
          ])
        ).utf8), at: "/apps/My.entitlements")
    #expect(entitlements.associatedDomains.map(\.text) == ["my.com", "*.my.com?mode=developer"])
    #expect(
      entitlements.diagnostics.map { "\($0.keyPath): \($0.problem)" } == [
        "com.apple.developer.associated-domains[4]: \"applinks:https://my.com\" has no fully"
          + " qualified host",
        "com.apple.developer.associated-domains[5]: \"applinks:$(HOST)\" contains the build variable"
          + " HOST, which has no value",
      ])
  }

  @Test("R8.1 are read from the property list") func propertyList() {
    let reading = InfoPropertyList.read(
      Array(
        document("<key>CFBundleIdentifier</key><string>a</string>" + array(["applinks:my.com"]))
          .utf8), at: BundleLocation(propertyList: "/apps/My.app/Info.plist"))
    #expect(reading.declaration?.associatedDomains.map(\.text) == ["my.com"])
  }

  @Test("R8.1 a host that is not ASCII is refused, and the diagnostic says what to write")
  func nonASCII() {
    let entitlements = Entitlements(
      Array(document(array(["applinks:*.m\u{fc}ller.example"])).utf8), at: "/My.entitlements")
    #expect(entitlements.associatedDomains == [])
    #expect(
      entitlements.diagnostics.map { "\($0.problem); \($0.consequence)" } == [
        "\"applinks:*.m\u{fc}ller.example\" names a host that is not ASCII; it was ignored: write its"
          + " Punycode form, which begins with xn--"
      ])
  }

  @Test("R8.2 are bounded") func bounded() {
    let entitlements = Entitlements(
      Array(document(array((0..<150).map { "applinks:h\($0).com" })).utf8), at: "/a.entitlements")
    #expect(entitlements.associatedDomains.count == AssociatedDomain.most)
    #expect(entitlements.diagnostics.map(\.problem) == ["has 150 entries for applinks"])
  }
}
