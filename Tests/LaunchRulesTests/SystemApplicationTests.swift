import LaunchRules
import Testing

@Suite("System applications by the opener's system") struct SystemApplicationTests {
  private let phone = Sample.app(
    SystemApplication.phone.identifier, claims: ["tel"], system: true)
  private let faceTime = Sample.app(
    SystemApplication.faceTime.identifier, claims: ["facetime", "facetime-audio"], system: true)
  private let messages = Sample.app(
    SystemApplication.messages.identifier, claims: ["sms"], system: true)
  private let mac = Sample.app("mac", on: .macOS)
  private let old = Sample.app("old", sdk: 6)
  private let new = Sample.app("new")

  private func opened(
    _ scheme: String, by opener: InstalledApplication?, more: [InstalledApplication] = [],
    format: URLFormatFinding = .accepted()
  ) -> OpenRule.Decision {
    let registry = Sample.registry([phone, faceTime, messages, mac, old, new] + more)
    let caller = opener.map { Caller.application($0.identifier, .checkedIn) } ?? .unidentified
    return OpenRule.decide(
      OpenRule.Question(
        .url(Sample.scheme(scheme), host: nil, link: nil), caller: caller,
        acting: opener.map { .identified($0.identifier, .checkedIn) } ?? .unidentified,
        format: format),
      in: registry,
      by: OpenRule.Policies(
        links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
        redirectLoop: { _ in nil }))
  }

  private func handler(
    _ scheme: String, _ opener: InstalledApplication?, _ more: [InstalledApplication] = []
  ) -> BundleIdentifier? {
    try? opened(scheme, by: opener, more: more).outcome.get().application?.identifier
  }

  @Test("D3: tel from macOS goes to FaceTime") func telephone() {
    #expect(handler("tel", mac) == faceTime.identifier)
    #expect(handler("tel", new) == phone.identifier)
    #expect(handler("tel", nil) == phone.identifier)
  }

  @Test("the application of a desktop entry is on none of Apple's systems") func desktopEntry() {
    let entry = InstalledApplication(
      declaration: mac.declaration, propertyList: "/a.desktop", folder: "/", origin: .desktopEntry)
    #expect(Sample.registry([entry]).profile(of: entry.identifier) == nil)
    #expect(Sample.registry([mac]).profile(of: mac.identifier) == mac.declaration)
    #expect(Sample.registry([mac]).profile(of: nil) == nil)
  }

  @Test("D3: tel from macOS needs FaceTime, and not Phone") func telephoneWithoutPhone() {
    func handler(_ installed: [InstalledApplication], by opener: InstalledApplication) throws
      -> BundleIdentifier
    {
      try Sample.registry(installed + [mac, new]).handler(
        of: OpenTarget(scheme: Sample.scheme("tel")), for: opener.declaration
      ).application.identifier
    }
    #expect((try? handler([faceTime], by: mac)) == faceTime.identifier)
    #expect(
      Sample.registry([faceTime, mac]).hasHandler(for: Sample.scheme("tel"), opener: mac.identifier)
    )
    for installed in [[], [phone]] {
      let failure = #expect(throws: OpenFailure.self) { try handler(installed, by: mac) }
      #expect(failure?.text.hasPrefix("FaceTime is not installed") == true)
    }
    let failure = #expect(throws: OpenFailure.self) { try handler([faceTime], by: new) }
    #expect(failure?.text.hasPrefix("Phone is not installed") == true)
    // An application that claims the scheme goes before the system's.
    let dialler = Sample.app("dialler", claims: ["tel"])
    #expect((try? handler([faceTime, dialler], by: mac)) == dialler.identifier)
  }

  @Test("D11: before iOS 7 the Phone application handles FaceTime") func earlyFaceTime() {
    #expect(handler("facetime", old) == phone.identifier)
    #expect(handler("facetime", new) == faceTime.identifier)
    let seven = Sample.app("seven", sdk: 7)
    #expect(handler("facetime", seven, [seven]) == faceTime.identifier)
    #expect(handler("facetime", mac) == faceTime.identifier)
  }

  @Test("D10: sms and facetime-audio are for iOS only", arguments: ["sms", "facetime-audio"])
  func iOSOnly(_ scheme: String) {
    #expect(handler(scheme, new) != nil)
    #expect(handler(scheme, nil) != nil)
    #expect(
      opened(scheme, by: mac).outcome
        == .failure(
          .applicationNotFound(
            "\(scheme) URLs are for iOS only, and the opener is an application for macOS")))
    let other = Sample.app("other", claims: [scheme])
    #expect(handler(scheme, mac, [other]) == other.identifier)
    var quotas = LegacyQuotas()
    for more in [[], [other]] {
      let registry = Sample.registry([messages, faceTime, mac] + more)
      let answer = CanOpenRule.answer(
        scheme: Sample.scheme(scheme), caller: .identified(mac.identifier, .checkedIn),
        registry: registry, quotas: &quotas)
      #expect(answer.isYes == !more.isEmpty)
    }
  }

  private func candidates(
    _ scheme: String, by opener: InstalledApplication, _ more: [InstalledApplication] = []
  ) -> [String] {
    CanOpenRule.explanation(
      scheme: Sample.scheme(scheme), caller: .identified(opener.identifier, .checkedIn),
      registry: Sample.registry([phone, faceTime, messages, mac, old, new] + more),
      quotas: LegacyQuotas()
    ).filter { $0.step == "candidate" }.map(\.sentence)
  }

  @Test("the reasons of the candidates are those for the system of the opener")
  func candidates() {
    let other = Sample.app("other", claims: ["sms", "tel"])
    let worse = Sample.app("worse", claims: ["sms"], rank: .alternate)
    #expect(
      candidates("sms", by: mac, [other, worse]) == [
        "\(messages.identifier): left out: sms is for iOS only, and the opener is an application for macOS",
        "\(other.identifier): the best LSHandlerRank",
        "\(worse.identifier): another claim has a better LSHandlerRank",
      ])
    #expect(
      candidates("sms", by: mac, [other]) == [
        "\(messages.identifier): left out: sms is for iOS only, and the opener is an application for macOS",
        "\(other.identifier): the only claim",
      ])
    #expect(
      candidates("tel", by: mac, [other]) == [
        "\(faceTime.identifier): handles tel on macOS in place of Phone",
        "\(phone.identifier): left out: FaceTime handles tel for an application for macOS",
        "\(other.identifier): the scheme is reserved for a system application",
      ])
    #expect(
      candidates("facetime", by: old) == [
        "\(phone.identifier): handles facetime before iOS 7 in place of FaceTime",
        "\(faceTime.identifier): left out: Phone handles facetime for an application for iOS before 7",
      ])
    #expect(
      candidates("sms", by: new, [other]) == [
        "\(messages.identifier): a system application; the scheme is reserved for it",
        "\(other.identifier): the scheme is reserved for a system application",
      ])
  }

  @Test(
    "R1.9: an identifier of a system application in another case is the same, for D3, D10 and D11")
  func otherCase() {
    func lowerCased(_ application: SystemApplication, _ claims: [String]) -> InstalledApplication {
      Sample.app(application.identifier.lowercased(), claims: claims, system: true)
    }
    let phone = lowerCased(.phone, ["tel"])
    let faceTime = lowerCased(.faceTime, ["facetime", "facetime-audio"])
    let messages = lowerCased(.messages, ["sms"])
    let registry = Sample.registry([phone, faceTime, messages, mac, old, new])
    func handler(_ scheme: String, _ opener: InstalledApplication) -> BundleIdentifier? {
      try? registry.handler(
        of: OpenTarget(scheme: Sample.scheme(scheme)), for: opener.declaration
      ).application.identifier
    }
    #expect(handler("tel", mac) == faceTime.identifier)
    #expect(handler("tel", new) == phone.identifier)
    #expect(handler("facetime", old) == phone.identifier)
    #expect(handler("facetime", new) == faceTime.identifier)
    #expect(handler("sms", new) == messages.identifier)
    #expect(handler("sms", mac) == nil)
    #expect(handler("facetime-audio", mac) == nil)
  }

  @Test("D9: the application that is missing is that of the opener's system") func missing() {
    func missing(
      _ scheme: String, _ opener: InstalledApplication?, _ installed: [InstalledApplication]
    ) -> SystemApplication? {
      let decision = OpenRule.decide(
        OpenRule.Question(
          .url(Sample.scheme(scheme), host: nil, link: nil), caller: .unidentified,
          acting: opener.map { .identified($0.identifier, .checkedIn) } ?? .unidentified,
          format: .accepted()),
        in: Sample.registry(installed + [mac, old, new]),
        by: OpenRule.Policies(
          links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
          redirectLoop: { _ in nil }))
      if let missing = decision.missing, case .failure(let failure) = decision.outcome {
        #expect(failure.text.hasPrefix("\(missing.name) is not installed"), "\(failure.text)")
      }
      return decision.missing
    }
    #expect(missing("tel", mac, []) == .faceTime)
    #expect(missing("tel", mac, [phone]) == .faceTime)
    #expect(missing("tel", mac, [faceTime]) == nil)
    #expect(missing("tel", new, [faceTime]) == .phone)
    #expect(missing("tel", nil, []) == .phone)
    #expect(missing("facetime", old, [faceTime]) == .phone)
    #expect(missing("facetime", new, [phone]) == .faceTime)
    var desktop = faceTime
    desktop.declaration.program = .arguments(["launchservices-desktop"])
    #expect(missing("tel", mac, [desktop]) == .faceTime)
    for scheme in ["sms", "facetime-audio"] {
      #expect(missing(scheme, mac, []) == nil)
      #expect(missing(scheme, new, []) != nil)
      #expect(
        Sample.registry([mac]).missingSystemApplication(
          for: Sample.scheme(scheme), opener: mac.identifier) == nil)
    }
  }

  @Test("D10: what no installed application would change is not advised") func notForMacOS() {
    for scheme in ["sms", "facetime-audio"] {
      let failure = #expect(throws: OpenFailure.self) {
        try Sample.registry([mac]).handler(
          of: OpenTarget(scheme: Sample.scheme(scheme)), for: mac.declaration)
      }
      #expect(
        failure
          == .applicationNotFound(
            "\(scheme) URLs are for iOS only, and the opener is an application for macOS"))
    }
  }

  @Test("D7: nobody is asked about an application that cannot be launched") func notLaunched() {
    let missing = OpenFailure.noExecutable("the program x of calls is missing")
    func decision(_ failure: OpenFailure?) -> OpenRule.Decision {
      OpenRule.decide(
        OpenRule.Question(
          .url(Sample.scheme("facetime"), host: nil, link: nil), caller: .unidentified,
          acting: .unidentified),
        in: Sample.registry([faceTime]),
        by: OpenRule.Policies(
          links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
          launchFailure: { $0 == faceTime ? failure : nil }, redirectLoop: { _ in nil }))
    }
    #expect((try? decision(nil).outcome.get().unconfirmed) != nil)
    let found = decision(missing)
    #expect(found.outcome == .failure(missing))
    #expect(found.confirmation == nil && found.application == faceTime)
    #expect(found.trail.map(\.step) == ["handler", "open"])
  }

  @Test("D7: a URL with which nothing is done is refused before anybody is asked") func refused() {
    let failure = OpenFailure.invalidURL("no number")
    let decision = opened("tel", by: new, format: .refused(failure, opensApplication: false))
    #expect(decision.outcome == .failure(failure))
    #expect(decision.confirmation == nil)
    #expect(decision.application == phone)
  }

  @Test(
    "F4: with Apple's completion the application is opened without the URL, and nobody is asked")
  func openedWithoutURL() throws {
    let failure = OpenFailure.invalidURL("no number")
    let decision = opened("tel", by: new, format: .refused(failure, opensApplication: true))
    let opening = try decision.outcome.get()
    #expect(opening.form == .withoutURL && opening.unconfirmed == nil)
    #expect(
      decision.trail.last
        == ExplanationStep("confirmation", "the user is not asked: the application receives no URL")
    )
  }
}
