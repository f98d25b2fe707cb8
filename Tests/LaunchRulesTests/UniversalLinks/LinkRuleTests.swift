import Testing

@testable import LaunchRules

@Suite("Associated domains") struct AssociatedDomainTests {
  @Test("R8.1 R8.4 are a service, a host and perhaps a mode")
  func read() throws {
    #expect(try AssociatedDomain.read("applinks:example.com")?.text == "example.com")
    #expect(try AssociatedDomain.read("applinks:*.Example.com")?.text == "*.example.com")
    #expect(try AssociatedDomain.read("applinks:example.com?mode=developer")?.mode == .developer)
    #expect(
      try AssociatedDomain.read("applinks:example.com?mode=developer+managed")?.mode
        == .developerManaged)
    for other in ["webcredentials:example.com", "appclips:a.b", "authsrv:a.b"] {
      #expect(try AssociatedDomain.read(other) == nil)
    }
  }

  @Test(
    "R8.1 without scheme, path, query, port, final slash or address",
    arguments: [
      "example.com", "applinks:", "applinks:https://example.com", "applinks:example.com/",
      "applinks:example.com:443", "applinks:example.com?mode=x", "applinks:example.com?a",
      "applinks:localhost", "applinks:127.0.0.1", "applinks:*", "applinks:*.com", "links:a.b",
      "applinks:bücher.example", "applinks:a..b", "applinks:example.com.",
    ])
  func wrong(_ text: String) {
    #expect(throws: AssociatedDomain.Wrong.self) { try AssociatedDomain.read(text) }
  }

  @Test("T8.12 R8.2 R8.3 *. covers what is below, and the longest entry counts")
  func covers() throws {
    let host = try #require(WebHost("my.com"))
    let wild = try #require(try AssociatedDomain.read("applinks:*.my.com"))
    #expect(!wild.covers(host))
    #expect(wild.covers(try #require(WebHost("a.b.my.com"))))
    #expect(!wild.covers(try #require(WebHost("notmy.com"))))
    #expect(wild.domain == host)
    let claims = Links.registry([Links.app("a", domains: ["*.my.com", "www.my.com", "*.b.my.com"])])
    func entry(_ host: String) throws -> String? {
      claims.linkClaims(of: try #require(WebHost(host))) { _ in true }.first?.entry.text
    }
    #expect(try entry("www.my.com") == "www.my.com")
    #expect(try entry("x.b.my.com") == "*.b.my.com")
    #expect(try entry("x.my.com") == "*.my.com")
    #expect(try entry("my.com") == nil)
  }

  @Test("are found after any change of the registry, and cost nothing when others are many")
  func index() throws {
    var registry = Links.registry([
      Links.app("a", domains: ["my.com"]), Links.app("b", domains: ["my.com", "*.my.com"]),
    ])
    func names(_ host: String) throws -> [String] {
      registry.linkClaims(of: try #require(WebHost(host))) { _ in true }
        .map(\.application.identifier.text)
    }
    #expect(try names("my.com") == ["a", "b"])
    #expect(try names("x.my.com") == ["b"])
    registry.install(Links.app("b", domains: ["other.com"]))
    #expect(try names("my.com") == ["a"])
    #expect(try names("other.com") == ["b"])
    registry.remove(propertyList: "/apps/a.app/Info.plist")
    #expect(try names("my.com") == [])
    #expect(registry.linkEntries.map(\.entry.text) == ["other.com"])
  }
}

@Suite("What a comparison of a link tells") struct LinkMissTests {
  @Test("the components that did not match, and of very many the first") func many() {
    let application = LinkedApplication(prefix: "TEAM", identifier: Sample.id("a"))
    func misses(_ count: Int) -> Int {
      let components = (0..<count).map {
        AssociationFile.Component(path: LinkPattern("/nowhere\($0)"))
      }
      let file = AssociationFile(details: [.init([application], components: components)])
      return file.match(Links.url("my.com", "/x"), for: application).misses.count
    }
    #expect(misses(3) == 3)
    #expect(misses(LinkMatch.mostMisses) == LinkMatch.mostMisses)
    #expect(misses(LinkMatch.mostMisses + 9) == LinkMatch.mostMisses)
  }

  @Test(
    "the name of a variable has no $ and no parenthesis",
    arguments: [
      ("/$(a)", ["a"]), ("/$(a$b)", []), ("/$(a(b)", []), ("/$()", []),
      ("/$(a)$(b c)", ["a", "b c"]),
    ])
  func variables(_ text: String, _ names: [String]) {
    #expect(LinkPattern(text).variables == names)
  }
}

@Suite("The comparison of a pattern with a text") struct PatternMatchingTests {
  private func matches(
    _ pattern: String, _ text: String, caseSensitive: Bool = false, budget: Int = 1000
  ) -> Bool {
    var matching = PatternMatching(
      variables: ["v": [LinkPattern("a"), LinkPattern("b")], "empty": [LinkPattern("")]],
      caseSensitive: caseSensitive,
      budget: budget)
    return matching.matches(LinkPattern(pattern), text)
  }

  @Test("R8.7 ignores the case of letters of every language, unless told otherwise")
  func letters() {
    for (pattern, text) in [("/É", "/é"), ("/é", "/É"), ("/ß", "/ẞ"), ("/Я?", "/яX"), ("/A", "/a")]
    {
      #expect(matches(pattern, text))
      #expect(!matches(pattern, text, caseSensitive: true))
    }
    // The lower case of this letter is two characters.
    #expect(matches("/İ", "/İ"))
    #expect(!matches("/İ", "/i"))
  }

  @Test(
    "matches when its steps use up the budget exactly, and not with one step less",
    arguments: [
      ("ab", "ab", 6), ("$(v)", "b", 9), ("", "", 0), ("$(empty)", "", 2), ("$(digit)", "7", 4),
    ])
  func budget(_ pattern: String, _ text: String, _ needed: Int) {
    #expect(matches(pattern, text, budget: needed))
    #expect(!matches(pattern, text, budget: needed - 1))
  }
}

enum Links {
  static func app(
    _ name: String, team: String? = "TEAM", domains: [String], browser: Bool = false
  ) -> InstalledApplication {
    var application = Sample.app(name, entitlements: browser ? [.webBrowser] : [])
    application.declaration.team = team
    application.declaration.associatedDomains = domains.compactMap {
      (try? AssociatedDomain.read("applinks:" + $0)) ?? nil
    }
    return application
  }

  static func registry(_ applications: [InstalledApplication]) -> Registry {
    Sample.registry(applications)
  }

  static func url(_ host: String, _ path: String) -> LinkURL {
    guard let host = WebHost(host) else { preconditionFailure("no host: \(host)") }
    func part(_ text: String) -> LinkURL.Part { LinkURL.Part(text, decoded: text) }
    return LinkURL(host: host, path: part(path), query: part(""), items: [], fragment: part(""))
  }

  /// Applications in their order, each with its pattern.
  static func file(_ details: [(String, String)]) -> AssociationFile {
    AssociationFile(
      details: details.map { name, pattern in
        AssociationFile.Detail(
          [LinkedApplication(prefix: "TEAM", identifier: Sample.id(name))],
          components: [AssociationFile.Component(path: LinkPattern(pattern))])
      })
  }
}

@Suite("Universal links") struct LinkRuleTests {
  var rule = LinkRule()
  let registry = Links.registry([
    Links.app("one", domains: ["my.com"]), Links.app("two", domains: ["my.com"]),
  ])
  let file = Links.file([("two", "/both/*"), ("one", "/both/*"), ("one", "/one/*")])

  private func outcome(
    _ path: String, caller: String? = nil, host: String = "my.com", rule: LinkRule? = nil,
    registry: Registry? = nil, site: SiteApproval? = nil
  ) -> LinkRule.Outcome {
    (rule ?? self.rule).decide(
      Links.url(host, path), caller: caller.map(Sample.id),
      registry: registry ?? self.registry, site: { _ in site ?? .approved(file) }
    ).outcome
  }

  private func application(_ outcome: LinkRule.Outcome) -> String? {
    if case .application(let application) = outcome { application.identifier.text } else { nil }
  }

  @Test("R8.18 R8.19 open in the application that names the site and is named by it")
  func bothWays() {
    #expect(application(outcome("/one/1")) == "one")
    #expect(outcome("/none") == .browser)
    #expect(outcome("/one/1", host: "other.com") == .browser)
    let unnamed = Links.registry([Links.app("three", domains: ["my.com"])])
    #expect(outcome("/one/1", registry: unnamed) == .browser)
    let otherTeam = Links.registry([Links.app("one", team: "OTHER", domains: ["my.com"])])
    #expect(outcome("/one/1", registry: otherTeam) == .browser)
    let noTeam = Links.registry([Links.app("one", team: nil, domains: ["my.com"])])
    #expect(outcome("/one/1", registry: noTeam) == .browser)
  }

  @Test("R8.11 of two that match, the first in the file") func first() {
    #expect(application(outcome("/both/1")) == "two")
  }

  @Test("R4.9 R8.20 of the opener's own domain go to the browser") func ownDomain() {
    #expect(outcome("/one/1", caller: "one") == .ownDomain(Sample.id("one")))
    #expect(outcome("/both/1", caller: "one") == .ownDomain(Sample.id("one")))
    #expect(application(outcome("/one/1", caller: "three")) == "one")
  }

  @Test("R8.20 R8.21 stay in the browser when the user chose that, for one application")
  func choice() throws {
    var rule = LinkRule()
    rule.choices[Sample.id("two"), try #require(WebHost("my.com"))] = .browser
    #expect(application(outcome("/both/1", rule: rule)) == "one")
    #expect(application(outcome("/one/1", rule: rule)) == "one")
    rule.choices[Sample.id("one"), try #require(WebHost("my.com"))] = .browser
    #expect(outcome("/one/1", rule: rule) == .browser)
    rule.choices[Sample.id("one"), try #require(WebHost("my.com"))] = .application
    #expect(application(outcome("/one/1", rule: rule)) == "one")
  }

  @Test(
    "R8.20 R8.21 are no universal links when the user chose the browser, and that is the reason")
  func choiceAsReason() throws {
    var rule = LinkRule()
    for name in ["one", "two"] {
      rule.choices[Sample.id(name), try #require(WebHost("my.com"))] = .browser
    }
    func reason(_ path: String, _ designated: String? = nil) -> String? {
      rule.decide(
        Links.url("my.com", path), caller: nil, registry: registry, site: { _ in .approved(file) }
      ).failure(designated.map(Sample.id)).sentence
    }
    let beginning = "not opened as a universal link: "
    #expect(reason("/none") == beginning + "no application gets this URL")
    #expect(reason("/both/1")?.hasPrefix(beginning + "one, by applinks:my.com: ") == true)
    #expect(reason("/both/1", "two")?.hasPrefix(beginning + "two, by applinks:my.com: ") == true)
    #expect(reason("/both/1", "three") == beginning + "three does not declare the host")
  }

  @Test("R8.6 R8.23 of a site without a file, or without an application, go to the browser")
  func sites() {
    #expect(outcome("/one/1", site: .unspecified) == .browser)
    #expect(outcome("/one/1", site: .denied) == .browser)
    #expect(outcome("/one/1", registry: Links.registry([])) == .browser)
  }

  @Test("R8.4 mode=developer counts when the user allows it, managed never") func modes() {
    let developer = Links.registry([Links.app("one", domains: ["my.com?mode=developer"])])
    #expect(outcome("/one/1", registry: developer) == .browser)
    var rule = LinkRule()
    rule.allowsDeveloperMode = true
    #expect(application(outcome("/one/1", rule: rule, registry: developer)) == "one")
    let managed = Links.registry([Links.app("one", domains: ["my.com?mode=managed"])])
    #expect(outcome("/one/1", rule: rule, registry: managed) == .browser)
  }

  @Test("R1.44 are nothing for browsers") func browsers() {
    let browser = Links.registry([Links.app("one", domains: ["my.com"], browser: true)])
    #expect(outcome("/one/1", registry: browser) == .browser)
  }

  @Test("R8.6 R8.18 are told with the reason why an application gets none")
  func verdicts() {
    func decide(
      _ application: InstalledApplication, _ site: SiteApproval, caller: String? = nil
    ) -> LinkRule.Decision {
      rule.decide(
        Links.url("my.com", "/one/1"), caller: caller.map(Sample.id),
        registry: Links.registry([application]), site: { _ in site })
    }
    let one = Links.app("one", domains: ["my.com"])
    let noTeam = Links.app("one", team: nil, domains: ["my.com"])
    #expect(decide(one, .unspecified).considered.map(\.verdict) == [.siteUnspecified])
    #expect(decide(one, .denied).considered.map(\.verdict) == [.siteDenied])
    #expect(decide(noTeam, .approved(file)).considered.map(\.verdict) == [.noTeam])
    #expect(
      decide(one, .unspecified).considered.first?.sentence
        == "one, by applinks:my.com: there is no association file of my.com yet; for the reason,"
        + " run: lsregister links list")
    #expect(
      decide(one, .denied).considered.first?.sentence
        == "one, by applinks:my.com: my.com has no association file (R8.6)")
    #expect(
      decide(noTeam, .denied).considered.first?.sentence.contains("its team is not known") == true)
    // Without the word of the site the domain is nobody's own.
    for (application, site) in [
      (one, SiteApproval.unspecified), (one, .denied), (noTeam, .approved(file)),
    ] {
      #expect(decide(application, site, caller: "one").outcome == .browser)
    }
    // A domain whose file lists the opener is its own, also where no component matches, and where the user chose
    // the browser.
    let own = rule.decide(
      Links.url("my.com", "/none"), caller: Sample.id("one"), registry: registry,
      site: { _ in .approved(file) })
    #expect(own.outcome == .ownDomain(Sample.id("one")))
    #expect(own.sentence == "the domain is one's own, so it goes to the browser (R4.9)")
  }

  @Test("R8.25 are explained by the component that decides") func explained() {
    let decision = rule.decide(
      Links.url("my.com", "/one/1"), caller: nil, registry: registry, site: { _ in .approved(file) }
    )
    #expect(
      decision.steps.map(\.sentence) == [
        "one, by applinks:my.com: details[2].components[0] matches",
        "two, by applinks:my.com: no component matches; details[0].components[0] is the last, where"
          + " the path does not match /both/*",
        "one gets it as a user activity",
      ])
  }
}
