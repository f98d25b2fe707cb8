import LaunchRules
import Testing

@Suite("Rules that send URLs to machines") struct MachineRulesTests {
  private typealias Subject = MachineRules.Subject
  private static let build = RemoteName("build")!
  private static let work = RemoteName("work")!
  private let browser = Sample.app("browser", claims: ["http", "https"])
  private let photos = Sample.app("photos", claims: ["photos"])
  private let ios = Sample.app("ios", queries: ["photos"])
  private let dialer = Sample.app("dialer", claims: ["tel"], on: .macOS)

  private func rules(_ texts: [String: RemoteName]) throws -> MachineRules {
    var rules = MachineRules()
    for (text, machine) in texts {
      let isSent = rules.send(try #require(Subject(text)), to: machine)
      #expect(isSent, "\(text)")
    }
    return rules
  }

  private func decide(
    _ scheme: String, host: String? = nil, by rules: MachineRules, in registry: Registry? = nil,
    _ change: (inout OpenRule.Question) -> Void = { _ in }
  ) -> OpenRule.Decision {
    var question = OpenRule.Question(
      .url(Sample.scheme(scheme), host: host.flatMap(WebHost.init), link: nil),
      caller: .unidentified, acting: .unidentified)
    change(&question)
    return OpenRule.decide(
      question, in: registry ?? Sample.registry([browser, photos, ios, dialer]),
      by: OpenRule.Policies(
        links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
        devices: DeviceList(
          [Self.build, Self.work].map(Device.init(machine:)), problem: .notAsked),
        machines: rules, remoteRights: { _ in RemoteRights() }, redirectLoop: { _ in nil }))
  }

  private func receiver(_ decision: OpenRule.Decision) -> String? {
    try? decision.outcome.get().receiver.handlerName
  }

  @Test(
    "a subject is written as it is read",
    arguments: [
      ("vscode", "vscode"), ("VSCode:", "vscode"), ("com.example.app:", "com.example.app:"),
      ("Example.com.", "example.com"), ("//wiki", "//wiki"), ("//example.com", "example.com"),
      ("*.example.com", "*.example.com"), ("//*.example.com", "*.example.com"), ("*.com", "*.com"),
    ])
  func texts(_ text: String, _ canonical: String) throws {
    let subject = try #require(Subject(text))
    #expect(subject.description == canonical)
    #expect(Subject(canonical) == subject)
  }

  @Test(
    "a text that is neither a scheme nor a host is no subject",
    arguments: [
      "", ":", "//", "*.", "*", "a b", "https://example.com", "exa*.com", "a..b", "a/b", "1a",
    ])
  func noSubject(_ text: String) { #expect(Subject(text) == nil) }

  @Test("the URLs of a scheme go to the machine, and the explanation says by which rule")
  func scheme() throws {
    let rules = try rules(["photos": Self.build])
    let decision = decide("photos", by: rules)
    #expect(receiver(decision) == "device:build")
    #expect(try decision.outcome.get().unconfirmed == nil)
    #expect(
      decision.trail.first
        == ExplanationStep(
          "device",
          "build (machine, by ssh, id build), to which you send photos (lsregister remote list)"))
    #expect(receiver(decide("https", host: "a.example", by: rules)) == "browser")
  }

  @Test(
    "the host goes before the domain above it, and both before the scheme",
    arguments: [
      ("wiki.example.com", "build"), ("a.wiki.example.com", "work"), ("a.example.com", "work"),
      ("example.com", "build"), ("notexample.com", "build"), ("other.org", "build"),
    ])
  func hosts(_ host: String, _ machine: String) throws {
    let rules = try rules([
      "https": Self.build, "*.example.com": Self.work, "wiki.example.com": Self.build,
    ])
    #expect(receiver(decide("https", host: host, by: rules)) == "device:\(machine)")
  }

  @Test("a rule for a host is about web pages alone, and about the whole name") func wholeHost()
    throws
  {
    let rules = try rules(["example.com": Self.build])
    #expect(receiver(decide("https", host: "example.com", by: rules)) == "device:build")
    #expect(receiver(decide("http", host: "EXAMPLE.com.", by: rules)) == "device:build")
    #expect(receiver(decide("photos", host: "example.com", by: rules)) == "photos")
    for host in ["notexample.com", "a.example.com", "example.com.evil.org"] {
      #expect(receiver(decide("https", host: host, by: rules)) == "browser", "\(host)")
    }
    #expect(receiver(decide("https", by: rules)) == "browser")
  }

  @Test("what the opener names goes before the rule") func named() throws {
    let rules = try rules(["photos": Self.build, "https": Self.build])
    #expect(receiver(decide("photos", by: rules) { $0.device = "work" }) == "device:work")
    #expect(
      receiver(decide("photos", by: rules) { $0.designated = Sample.id("photos") }) == "photos")
    // Nothing else than a universal link is wanted, which is a matter of this machine.
    let link = decide("https", host: "a.example", by: rules) { $0.universalLinksOnly = true }
    #expect(receiver(link) == nil && link.device == nil)
  }

  @Test("what a remote opens, or another machine sends, is never sent on") func noCircles() throws {
    let rules = try rules(["https": Self.build])
    for name in [Self.build, Self.work] {
      let decision = decide("https", host: "a.example", by: rules) {
        $0.caller = .remote(name)
        $0.acting = .remote(name)
      }
      #expect(receiver(decision) == "browser")
      #expect(
        decision.trail.first
          == ExplanationStep(
            "rule", "https is sent to build, but not this URL, which comes from \(name)"))
    }
    let relayed = decide("https", host: "a.example", by: rules) { $0.isRelayed = true }
    #expect(receiver(relayed) == "browser")
    #expect(
      relayed.trail.first
        == ExplanationStep(
          "rule", "https is sent to build, but not this URL, which comes from another machine"))
    // An opener of the user still names a machine.
    #expect(
      receiver(decide("https", by: rules) { ($0.isRelayed, $0.device) = (true, "work") })
        == "device:work")
  }

  @Test("a link of a page asks the user, and an application of iOS does not learn the machine")
  func questions() throws {
    let rules = try rules(["photos": Self.build])
    let asked = try #require(
      try decide("photos", by: rules) { $0.isLink = true }.outcome.get().unconfirmed)
    #expect(
      asked.sentence("photos:1") == "Let a web page open photos:1 on the device build?")
    let decision = decide("photos", by: rules) {
      ($0.caller, $0.acting) = (
        .application(ios.identifier, .checkedIn), .identified(ios.identifier, .checkedIn)
      )
    }
    #expect(receiver(decision) == "device:build")
    #expect(ExplanationRule.withoutHandler(decision.trail) == [])
  }

  @Test("a rule of the user goes before CallsFrom and before the application for the scheme")
  func calls() throws {
    var registry = Registry(callsFrom: "Pixel")
    registry.change(removing: [], installing: [ApplicationRecord(dialer)])
    registry.bind(Sample.scheme("tel"), to: dialer.identifier)
    let rules = try rules(["tel": Self.build])
    #expect(receiver(decide("tel", by: rules, in: registry)) == "device:build")
  }

  @Test("a machine that is no longer known is an error, and no application gets the URL")
  func unknownMachine() throws {
    let rules = try rules(["photos": RemoteName("gone")!])
    guard case .failure(.deviceUnavailable) = decide("photos", by: rules).outcome else {
      Issue.record("the URL was opened")
      return
    }
  }

  @Test(
    "files and program texts are not sent",
    arguments: ["file", "javascript", "data", "about"])
  func never(_ scheme: String) {
    var rules = MachineRules()
    let subject = Subject.scheme(Sample.scheme(scheme))
    let isSent = rules.send(subject, to: Self.build)
    #expect(!isSent && MachineRules.objection(toSending: subject) != nil)
    #expect(rules.all.isEmpty)
  }

  @Test("one subject has one machine, and a removed machine has none") func changes() throws {
    var rules = try rules(["photos": Self.build, "//wiki": Self.build])
    let photos = try #require(Subject("photos"))
    let isMoved = rules.send(photos, to: Self.work)
    #expect(isMoved && rules.subjects(of: Self.work) == [photos])
    let isMissing = !rules.keep(photos, from: Self.build)
    #expect(isMissing && rules.subjects(of: Self.work) == [photos])
    let isKept = rules.keep(photos, from: Self.work)
    #expect(isKept)
    #expect(rules.all.map { "\($0.subject)" } == ["//wiki"])
    rules.forget(Self.build)
    #expect(rules == MachineRules())
  }

  @Test("there are at most 256 rules, and an existing one still changes") func limit() throws {
    var rules = MachineRules()
    for number in 0..<MachineRules.most {
      let isSent = rules.send(.scheme(Sample.scheme("s\(number)")), to: Self.build)
      #expect(isSent)
    }
    let (isNew, isChanged) = (
      rules.send(.scheme(Sample.scheme("more")), to: Self.build),
      rules.send(.scheme(Sample.scheme("s1")), to: Self.work)
    )
    #expect(!isNew && isChanged)
  }

  // MARK: canOpenURL

  private func canOpen(
    _ scheme: String, host: String? = nil, as caller: ActingCaller, _ rules: MachineRules,
    _ applications: [InstalledApplication]
  ) -> CanOpenAnswer {
    var quotas = LegacyQuotas()
    return CanOpenRule.answer(
      scheme: Sample.scheme(scheme), host: host.flatMap(WebHost.init), caller: caller,
      registry: Sample.registry(applications), machines: rules, quotas: &quotas)
  }

  @Test("canOpenURL answers as the open does, under the allowlist of the caller") func canOpen()
    throws
  {
    let mac = Sample.app("mac", on: .macOS)
    let rules = try rules(["photos": Self.build, "other": Self.build, "//wiki": Self.work])
    let phone = ActingCaller.identified(ios.identifier, .checkedIn)
    let desktop = ActingCaller.identified(mac.identifier, .checkedIn)
    #expect(canOpen("photos", as: phone, rules, [ios]) == .yes(.sent(Self.build)))
    #expect(canOpen("photos", as: phone, MachineRules(), [ios]) == .no(.notFound))
    #expect(!canOpen("other", as: phone, rules, [ios]).isYes)
    #expect(canOpen("https", host: "wiki", as: desktop, rules, [mac]) == .yes(.sent(Self.work)))
    #expect(canOpen("https", host: "web", as: desktop, rules, [mac]) == .no(.notFound))
    #expect(!canOpen("photos", as: .unidentified, rules, []).isYes)
    #expect(
      canOpen("photos", as: phone, rules, [ios]).sentence
        == "yes: the caller may ask, and URLs of the scheme are sent to build")
  }

  @Test("a remote is answered for what opens here") func canOpenOfRemote() throws {
    var rights = RemoteRights()
    let isAllowed = rights.choose(.allow, for: Sample.scheme("photos"))
    #expect(isAllowed)
    #expect(
      RemoteRule.canOpenCode(
        Sample.scheme("photos"), hasPublicHost: true, rights, in: Sample.registry([]))
        == .noApplication)
  }
}
