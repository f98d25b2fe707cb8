import LaunchRules
import SeededRandom
import Testing

@Suite("The decision about an open") struct OpenRuleTests {
  private let game = Sample.app("game", queries: ["photos"])
  private let photos = Sample.app("photos", claims: ["photos"])
  private let other = Sample.app("other", claims: ["photos"], at: -1)

  private var registry: Registry { Sample.registry([game, photos, other]) }

  private func question(
    _ caller: Caller, designated: String? = nil, finding: WebOrigin.Finding = .program,
    isLink: Bool = false
  ) -> OpenRule.Question {
    let acting: ActingCaller =
      switch caller {
      case .application(let own, let how): .identified(own, how)
      case .orphan: .orphan
      case .unidentified, .outsider: .unidentified
      case .remote(let name): .remote(name)
      }
    return OpenRule.Question(
      .url(Sample.scheme("photos"), host: nil, link: nil), caller: caller, acting: acting,
      designated: designated.map(Sample.id), finding: finding, isLink: isLink)
  }

  private func policies(
    _ confirmations: ConfirmationRule = ConfirmationRule(), loop: OpenFailure? = nil
  ) -> OpenRule.Policies {
    OpenRule.Policies(
      links: LinkRule(), confirmations: confirmations, site: { _ in .unspecified },
      redirectLoop: { _ in loop })
  }

  @Test("R4.20 an application is chosen, and the trail names it") func chosen() throws {
    let decision = OpenRule.decide(question(.unidentified), in: registry, by: policies())
    let opening = try decision.outcome.get()
    #expect(opening.application == photos)
    #expect(opening.form == .asOpened)
    #expect(opening.unconfirmed == nil)
    #expect(
      decision.trail == [
        ExplanationStep("handler", "photos, from /apps/photos.app/Info.plist"),
        ExplanationStep(
          "confirmation",
          "the user is not asked (row custom-application of the setting Confirmations)"),
      ])
  }

  @Test("the trail says that the opener has chosen the application") func chosenByOpener() throws {
    let steps = OpenRule.decide(
      question(.unidentified, designated: "photos"), in: registry, by: policies()
    ).trail
    let handler = try #require(steps.first { $0.step == "handler" })
    #expect(
      handler.sentence
        == "photos, from /apps/photos.app/Info.plist; the opener has chosen this application, whatever the default is"
    )
  }

  @Test("only the user, and the application itself, perform quick actions of an application")
  func quickActions() {
    func failure(_ caller: Caller) -> OpenFailure? {
      let acting: ActingCaller =
        switch caller {
        case .application(let own, let how): .identified(own, how)
        case .orphan: .orphan
        case .unidentified, .outsider: .unidentified
        case .remote(let name): .remote(name)
        }
      let decision = OpenRule.decide(
        OpenRule.Question(.quickAction(of: photos.identifier), caller: caller, acting: acting),
        in: registry, by: policies())
      if case .failure(let failure) = decision.outcome { return failure }
      return nil
    }
    #expect(failure(.unidentified) == nil)
    #expect(failure(.application(photos.identifier, .checkedIn)) == nil)
    #expect(
      failure(.application(game.identifier, .checkedIn))
        == .notPermitted("only the user may perform quick actions of photos; the caller is game"))
    #expect(failure(.orphan(isSandboxed: false)) != nil)
  }

  @Test("an iOS application opens itself without a URL, and no other application")
  func applications() {
    func failure(_ caller: BundleIdentifier) -> OpenFailure? {
      let decision = OpenRule.decide(
        OpenRule.Question(
          .application(photos.identifier), caller: .application(caller, .checkedIn),
          acting: .identified(caller, .checkedIn)),
        in: registry, by: policies())
      if case .failure(let failure) = decision.outcome { return failure }
      return nil
    }
    #expect(failure(photos.identifier) == nil)
    #expect(
      failure(game.identifier)
        == .notPermitted(
          "game is an iOS application, which may open other applications only by URL"))
  }

  @Test("R3.3 an iOS application, or what may be one, does not choose another application")
  func designated() {
    let own = Caller.application(game.identifier, .checkedIn)
    for (caller, why) in [
      (own, "game is an iOS application, which may not choose the handler of a URL"),
      (
        .orphan(isSandboxed: true),
        "the caller may descend from an iOS application, which may not choose the handler of a URL"
      ),
    ] {
      // Whether the application is installed makes no difference.
      for wanted in ["other", "nosuch"] {
        let decision = OpenRule.decide(
          question(caller, designated: wanted), in: registry, by: policies())
        #expect(decision.outcome == .failure(.notPermitted(why)))
        #expect(decision.trail.map(\.step) == ["open"])
      }
    }
    for caller in [Caller.unidentified, .orphan(isSandboxed: false)] {
      let decision = OpenRule.decide(
        question(caller, designated: "other"), in: registry, by: policies())
      #expect((try? decision.outcome.get())?.application == other)
    }
  }

  @Test("A URL that goes round is refused, and the trail says why") func redirectLoop() {
    let failure = OpenFailure.applicationNotFound("it comes back")
    let decision = OpenRule.decide(
      question(.unidentified), in: registry, by: policies(loop: failure))
    #expect(decision.outcome == .failure(failure))
    #expect(decision.trail == [ExplanationStep("open", "fails: \(failure.text)")])
  }

  @Test("R4.15 what may act for a page asks, and only an application that is known does not")
  func possiblePage() throws {
    let possible = WebOrigin.Finding.possible(.environment)
    for caller in [Caller.unidentified, .orphan(isSandboxed: false)] {
      let decision = OpenRule.decide(
        question(caller, finding: possible), in: registry, by: policies())
      #expect(try decision.outcome.get().unconfirmed?.origin == .web)
      #expect(
        decision.trail.last?.sentence
          == "from a web page (the caller has the environment of a browser and no terminal): the user"
          + " is asked (row custom-web of the setting Confirmations)")
    }
    let known = Caller.application(game.identifier, .executable)
    let decision = OpenRule.decide(question(known, finding: possible), in: registry, by: policies())
    #expect(try decision.outcome.get().unconfirmed == nil)
  }

  @Test(
    "R4.15 who says that it opens a link is believed, whoever it is",
    arguments: [Caller.unidentified, .application(Sample.id("game"), .executable)])
  func link(_ caller: Caller) throws {
    let decision = OpenRule.decide(question(caller, isLink: true), in: registry, by: policies())
    #expect(try decision.outcome.get().unconfirmed?.origin == .web)
    #expect(
      decision.trail.last?.sentence
        == "from a web page (the caller declared that the URL is a link): the user is asked (row custom-web of the setting Confirmations)"
    )
  }

  @Test("R4.15 an open that the user declined for good fails, and the trail says so")
  func declined() throws {
    var confirmations = ConfirmationRule()
    let ask = OpenRule.decide(
      question(.unidentified, finding: .browser), in: registry, by: policies())
    let situation = try #require(try ask.outcome.get().unconfirmed)
    #expect(situation.origin == .web)
    _ = confirmations.approvals.set(situation.key, false)
    let decision = OpenRule.decide(
      question(.unidentified, finding: .browser), in: registry, by: policies(confirmations))
    guard case .failure(.confirmationDeclined) = decision.outcome else {
      Issue.record("\(decision.outcome)")
      return
    }
    #expect(decision.trail.map(\.step) == ["handler", "confirmation", "open"])
  }

  @Test("A request that is delivered again has the form that it had") func repetition() throws {
    let shop = Links.app("shop", domains: ["my.com"])
    let browser = Sample.app("browser", claims: ["https"])
    let registry = Sample.registry([shop, browser, photos])
    let file = Links.file([("shop", "/*")])
    let policies = OpenRule.Policies(
      links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .approved(file) },
      redirectLoop: { _ in nil })
    func form(
      _ question: OpenRule.Question, _ application: InstalledApplication
    ) -> OpenRule.Form {
      OpenRule.repetition(of: question, with: application, in: registry, by: policies).form
    }
    var link = question(.unidentified)
    link.subject = .url(
      Sample.scheme("https"), host: WebHost("my.com"), link: Links.url("my.com", "/a"))
    #expect(form(link, shop) == .userActivity)
    #expect(form(link, browser) == .asOpened)
    // A chosen application gets the URL as a URL, unless only a universal link is asked for.
    link.designated = shop.identifier
    #expect(form(link, shop) == .asOpened)
    link.universalLinksOnly = true
    #expect(form(link, shop) == .userActivity)
    #expect(form(question(.unidentified), photos) == .asOpened)
  }

  @Test("R4.7 only as a universal link: the chosen application, or a failure that says why")
  func universalLinksOnly() throws {
    let registry = Sample.registry([
      Links.app("a", domains: ["my.com"]), Links.app("b", domains: ["my.com"]), photos,
    ])
    let file = Links.file([("a", "/*"), ("b", "/*"), ("c", "/*")])
    let policies = OpenRule.Policies(
      links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .approved(file) },
      redirectLoop: { _ in nil })
    var asked = question(.unidentified)
    asked.subject = .url(
      Sample.scheme("https"), host: WebHost("my.com"), link: Links.url("my.com", "/x"))
    asked.universalLinksOnly = true
    for name in ["a", "b"] {
      asked.designated = Sample.id(name)
      let opening = try OpenRule.decide(asked, in: registry, by: policies).outcome.get()
      #expect(opening.application?.identifier.text == name && opening.form == .userActivity)
    }
    asked.designated = photos.identifier
    #expect(
      OpenRule.decide(asked, in: registry, by: policies).outcome
        == .failure(
          .applicationNotFound(
            "not opened as a universal link: photos does not declare the host")))
    asked.designated = Sample.id("b")
    let other = Links.file([("a", "/*"), ("b", "/only/*")])
    let decision = OpenRule.decide(
      asked, in: registry,
      by: OpenRule.Policies(
        links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .approved(other) },
        redirectLoop: { _ in nil }))
    guard case .failure(let failure) = decision.outcome else {
      Issue.record("\(decision.outcome)")
      return
    }
    let sentence = try #require(
      decision.link?.considered.first { $0.claim.application.identifier.text == "b" }?.sentence)
    #expect(failure.sentence == "not opened as a universal link: \(sentence)")
  }

  @Test(
    "F6 R4.6 openURL(_:) opens nothing for an iOS application linked with SDK 18 or later, before anything else",
    arguments: [
      (Platform.iOS, 2, true), (.iOS, 17, true), (.iOS, 18, false), (.iOS, 26, false),
      (.macOS, 26, true),
    ] as [(Platform, UInt16, Bool)])
  func legacy(_ platform: Platform, _ sdk: UInt16, _ opens: Bool) throws {
    let opener = Sample.app("opener", on: platform, sdk: sdk)
    let registry = Sample.registry([opener, photos])
    for scheme in ["photos", "nobody"] {
      var asked = question(.application(opener.identifier, .checkedIn))
      asked.subject = .url(Sample.scheme(scheme), host: nil, link: nil)
      let usual = OpenRule.decide(asked, in: registry, by: policies())
      asked.isLegacy = true
      let decision = OpenRule.decide(asked, in: registry, by: policies())
      guard !opens else {
        #expect(decision == usual)
        continue
      }
      #expect(
        decision.outcome
          == .failure(
            .notPermitted(
              "BUG IN CLIENT OF UIKIT: openURL(_:) opens nothing for opener, which is linked with the SDK"
                + " of iOS \(sdk).0: use open(_:options:completionHandler:)")))
      #expect(decision.trail.map(\.step) == ["open"])
    }
  }

  @Test("R2.11 the system application that is missing is named") func missing() {
    var tel = question(.unidentified)
    tel.subject = .url(Sample.scheme("tel"), host: nil, link: nil)
    let decision = OpenRule.decide(tel, in: registry, by: policies())
    #expect(decision.missing == .phone)
    tel.designated = Sample.id("nosuch")
    #expect(OpenRule.decide(tel, in: registry, by: policies()).missing == nil)
  }
}

/// What is opened and what is explained are one decision: for random registries, callers and options the trail
/// tells the outcome, and the outcome is what a naive reading of the rules says.
@Suite("Random opens") struct RandomOpenTests {
  private static let names = ["a", "b", "c", "d"]
  private static let schemes = ["x", "tel", "https", "mailto"]
  private static let file = Links.file([("a", "/a/*"), ("b", "/*")])

  @Test("The trail of a decision tells its outcome", arguments: 0..<40 as Range<UInt64>)
  func agree(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let registry = registry(&random)
      let question = question(&random)
      let loops = Int.random(in: 0..<8, using: &random) == 0
      var confirmations = ConfirmationRule()
      let policies = { (confirmations: ConfirmationRule) in
        OpenRule.Policies(
          links: LinkRule(), confirmations: confirmations, site: { _ in .approved(Self.file) },
          redirectLoop: { _ in loops ? .applicationNotFound("a loop") : nil })
      }
      var decision = OpenRule.decide(question, in: registry, by: policies(confirmations))
      if let situation = try? decision.outcome.get().unconfirmed, Bool.random(using: &random) {
        _ = confirmations.approvals.set(situation.key, Bool.random(using: &random))
        decision = OpenRule.decide(question, in: registry, by: policies(confirmations))
      }
      check(decision, question, "seed \(seed): \(question)")
      #expect(
        expected(question, registry, loops: loops) == name(decision),
        "seed \(seed): \(question)")
    }
  }

  private func check(
    _ decision: OpenRule.Decision, _ question: OpenRule.Question, _ what: Comment
  ) {
    let trail = decision.trail
    switch decision.outcome {
    case .success(let opening):
      guard let handler = opening.application else {
        Issue.record("no device was chosen: \(what)")
        return
      }
      #expect(
        trail.contains {
          $0.step == "handler"
            && $0.sentence.hasPrefix("\(handler.identifier), from \(handler.propertyList)")
        }, what)
      #expect(!trail.contains { $0.step == "open" }, what)
      let confirmation = trail.first { $0.step == "confirmation" }?.sentence
      if opening.form == .userActivity {
        #expect(confirmation == "the user is not asked: the URL is a universal link", what)
        #expect(opening.unconfirmed == nil, what)
      } else {
        #expect(
          confirmation?.contains("the user is asked") == (opening.unconfirmed != nil), what)
      }
    case .failure(let failure):
      #expect(trail.last == ExplanationStep("open", "fails: \(failure.text)"), what)
    }
  }

  /// Who gets it, with `link` before universal links; nil for nobody.
  private func name(_ decision: OpenRule.Decision) -> String? {
    switch decision.outcome {
    case .success(let opening):
      (opening.form == .userActivity ? "link " : "") + (opening.application?.identifier.text ?? "")
    case .failure(.confirmationDeclined): decision.application?.identifier.text
    case .failure: nil
    }
  }

  /// The rules, read naively.
  private func expected(
    _ question: OpenRule.Question, _ registry: Registry, loops: Bool
  ) -> String? {
    guard case .url(let scheme, let host, let link) = question.subject else { return nil }
    if question.isLegacy, let opener = question.acting.identifier.flatMap(registry.application),
      opener.declaration.platform == .iOS
    {
      return nil
    }
    if let designated = question.designated {
      switch question.caller {
      case .application(let own, _)
      where own != designated && registry.application(own)?.declaration.platform == .iOS:
        return nil
      case .orphan(isSandboxed: true): return nil
      default: break
      }
      if !question.universalLinksOnly {
        return loops || !registry.isInstalled(designated) ? nil : designated.text
      }
    }
    if let link {
      let decision = LinkRule().decide(
        link, caller: question.acting.identifier, registry: registry,
        site: { _ in .approved(Self.file) })
      if let application = decision.application(question.designated) {
        return "link \(application.identifier)"
      }
    }
    guard !question.universalLinksOnly, !loops,
      case .handler(let candidate) = registry.route(scheme, host: host)
    else { return nil }
    return candidate.identifier.text
  }

  private func registry(_ random: inout SplitMix64) -> Registry {
    let applications = Self.names.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }.map {
      name in
      var application = Sample.app(
        name, claims: Self.schemes.filter { _ in Bool.random(using: &random) },
        on: Bool.random(using: &random) ? .iOS : .macOS,
        system: Int.random(in: 0..<4, using: &random) == 0,
        entitlements: Bool.random(using: &random) ? [.webBrowser] : [])
      application.declaration.team = Bool.random(using: &random) ? "TEAM" : nil
      if Bool.random(using: &random), let domain = try? AssociatedDomain.read("applinks:my.com") {
        application.declaration.associatedDomains = [domain]
      }
      return application
    }
    return Sample.registry(applications)
  }

  private func question(_ random: inout SplitMix64) -> OpenRule.Question {
    let name = Sample.id(Self.names.randomElement(using: &random) ?? "a")
    let (caller, acting): (Caller, ActingCaller) =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: (.application(name, .unit), .identified(name, .unit))
      case 1: (.orphan(isSandboxed: true), .orphan)
      case 2: (.orphan(isSandboxed: false), .orphan)
      case 3: (.unidentified, .assumed(name))
      default: (.unidentified, .unidentified)
      }
    let scheme = Sample.scheme(Self.schemes.randomElement(using: &random) ?? "x")
    let path = ["/a/1", "/b", "/"].randomElement(using: &random) ?? "/"
    let isChosen = Bool.random(using: &random)
    let chosen = Sample.id((Self.names + ["nosuch"]).randomElement(using: &random) ?? "a")
    return OpenRule.Question(
      .url(
        scheme, host: scheme.isWeb ? WebHost("my.com") : nil,
        link: scheme.isWeb ? Links.url("my.com", path) : nil),
      caller: caller, acting: acting, designated: isChosen ? chosen : nil,
      universalLinksOnly: Int.random(in: 0..<4, using: &random) == 0,
      isLegacy: Int.random(in: 0..<4, using: &random) == 0,
      finding: [.program, .possible(.portal), .browser].randomElement(using: &random) ?? .program,
      isLink: Bool.random(using: &random))
  }
}
