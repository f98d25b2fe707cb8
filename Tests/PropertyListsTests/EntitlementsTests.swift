import Foundation
import LaunchRules
import PropertyLists
import Testing

@Suite struct `Entitlements of an application` {
  static let path = "/apps/My.app/archived-expanded-entitlements.xcent"

  private func read(_ keys: String) -> Entitlements {
    Entitlements(Array(document(keys).utf8), at: Self.path)
  }

  private func report(_ diagnostics: [Diagnostic]) -> [String] {
    diagnostics.map { "\($0.severity.rawValue) \($0.keyPath): \($0.problem); \($0.consequence)" }
  }

  @Test("R1.44 R1.45 R1.46 R1.47 R1.48 make a default application")
  func all() {
    let names = ["web-browser", "mail-client", "calling-app", "messaging-app", "navigation-app"]
    for (name, entitlement) in zip(names, DefaultApplicationEntitlement.allCases) {
      let read = read("<key>com.apple.developer.\(name)</key><true/>")
      #expect(read.defaults == [entitlement])
      #expect(read.diagnostics == [])
    }
  }

  @Test("that are false, or of other kinds, make none") func none() {
    let read = read(
      "<key>com.apple.developer.web-browser</key><false/>"
        + "<key>com.apple.developer.web-browser.public-key-credential</key><true/>"
        + "<key>application-identifier</key><string>A.b</string>")
    #expect(read.defaults == [])
    #expect(read.diagnostics == [])
  }

  @Test(
    "R5.23 R8.18 hold the team",
    arguments: [
      ("application-identifier", "ABCDE12345.com.example.xc", "ABCDE12345"),
      ("com.apple.application-identifier", "ABCDE12345.com.example.xc", "ABCDE12345"),
      ("com.apple.developer.team-identifier", "ABCDE12345", "ABCDE12345"),
      ("application-identifier", "ABCDE12345.com.example.other", nil),
      ("application-identifier", "ABCDE12345.*", nil),
      ("application-identifier", "$(AppIdentifierPrefix)com.example.xc", nil),
      ("com.apple.developer.team-identifier", "A B", nil),
    ]) func team(_ key: String, _ text: String, _ team: String?) throws
  {
    let read = read("<key>\(key)</key><string>\(text)</string>")
    #expect(read.team(of: try #require(BundleIdentifier("com.example.xc"))) == team)
    #expect(read.diagnostics == [])
  }

  @Test("R8.18 the prefix of the application goes before the team") func prefix() throws {
    let read = read(
      "<key>application-identifier</key><string>PREFIX.com.example.xc</string>"
        + "<key>com.apple.developer.team-identifier</key><string>TEAM</string>")
    #expect(read.team(of: try #require(BundleIdentifier("com.example.xc"))) == "PREFIX")
    #expect(read.team(of: try #require(BundleIdentifier("com.example.other"))) == "TEAM")
  }

  @Test("of an odd type are reported") func odd() {
    let read = read(
      "<key>com.apple.developer.mail-client</key><string>maybe</string>"
        + "<key>com.apple.developer.calling-app</key><array/>"
        + "<key>com.apple.developer.web-browser</key><string>YES</string>")
    #expect(read.defaults == [.webBrowser])
    #expect(
      report(read.diagnostics) == [
        "note com.apple.developer.web-browser: is the text \"YES\", but must be true or false;"
          + " it was read as true",
        "warning com.apple.developer.mail-client: is \"maybe\", but must be true or false;"
          + " it was ignored: write <true/> or <false/>",
        "warning com.apple.developer.calling-app: is an array, but must be true or false;"
          + " it was ignored",
      ])
  }

  @Test("in a file that cannot be read are none, with the reason", arguments: ["", "{}", "<a"])
  func unreadable(_ text: String) {
    let read = Entitlements(Array(text.utf8), at: Self.path)
    #expect(read.defaults == [])
    #expect(read.diagnostics.map(\.severity) == [.warning])
    #expect(
      read.diagnostics.first?.consequence.hasPrefix("the application has no entitlements: ") == true
    )
  }

  @Test("R1.44 R1.45 R1.47 without the claims they need do not count, which is reported")
  func claims() {
    let identifier = BundleIdentifier("a").map { ApplicationDeclaration(identifier: $0) }
    var declaration = identifier
    declaration?.entitlements = [.webBrowser, .mailClient, .callingApp]
    declaration?.urlTypes = ["http", "mailto"].compactMap(URLScheme.init).map {
      URLTypeDeclaration(schemes: [$0])
    }
    #expect(
      declaration.map { report(Entitlements.diagnostics(of: $0, at: Self.path)) } == [
        "warning com.apple.developer.web-browser: the application does not claim https;"
          + " the entitlement does not count: claim it in CFBundleURLTypes (R1.44)"
      ])
  }

  @Test("lie beside the property list")
  func files() {
    func files(_ path: String) -> [String] { BundleLocation(propertyList: path).entitlementsFiles }
    #expect(
      files("/apps/My.app/Info.plist") == [
        "/apps/My.app/archived-expanded-entitlements.xcent", "/apps/My.app/My.entitlements",
      ])
    #expect(
      files("/apps/My.app/Contents/Info.plist") == [
        "/apps/My.app/Contents/archived-expanded-entitlements.xcent",
        "/apps/My.app/Contents/My.entitlements",
      ])
    #expect(files("/apps/my.tool.plist") == ["/apps/my.tool.entitlements"])
  }

  @Test(
    "R1.44 of real applications", .enabled(if: Corpus.folder != nil, "the corpus is not here"),
    arguments: [
      "duckduckgo-ios", "duckduckgo-ios-alpha-debug", "duckduckgo-mac-appstore",
      "duckduckgo-mac-agent", "metamask-ios", "organic-maps-ios", "wikipedia-ios",
    ])
  func real(_ name: String) throws {
    let file = try #require(Corpus.folder).deletingLastPathComponent()
      .appending(path: "entitlements/\(name).entitlements")
    let read = Entitlements(Array(try Data(contentsOf: file)), at: file.path)
    #expect(read.defaults == (name.hasPrefix("duckduckgo-ios") ? [.webBrowser] : []))
    #expect(read.diagnostics == [])
  }
}

@Suite struct `LaunchServicesWebHosts` {
  private func read(_ keys: String, isSystem: Bool) -> PropertyListReading {
    InfoPropertyList.read(
      Array(document("<key>CFBundleIdentifier</key><string>a.b</string>" + keys).utf8),
      at: BundleLocation(propertyList: "/System/a.plist"), isSystem: isSystem)
  }

  @Test("R2.12 are read from system applications, each once") func system() {
    let reading = read(
      "<key>LaunchServicesWebHosts</key><array><string>Maps.apple.com</string>"
        + "<string>maps.apple.com.</string><string>http://x/</string><integer>7</integer></array>",
      isSystem: true)
    #expect(reading.declaration?.webHosts.map(\.text) == ["maps.apple.com", "7"])
    #expect(
      reading.report == [
        "warning LaunchServicesWebHosts[2]: \"http://x/\" is not a host;"
          + " it was ignored: write the name alone, such as maps.example.com",
        "warning LaunchServicesWebHosts[3]: is a number, but must be text; it was read as"
          + " \"7\"",
      ])
  }

  @Test("R2.12 of a third-party application are ignored, with a warning") func thirdParty() {
    let reading = read(
      "<key>LaunchServicesWebHosts</key><array><string>maps.apple.com</string></array>",
      isSystem: false)
    #expect(reading.declaration?.webHosts == [])
    #expect(
      reading.report == [
        "warning LaunchServicesWebHosts: is for system applications only;"
          + " it was ignored: claim http and https, or use universal links"
      ])
  }
}
