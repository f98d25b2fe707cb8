import LaunchRules
import SeededRandom
import Testing

/// Chooses, and expects that the limit of choices admits it.
private func expect(
  _ rights: inout RemoteRights, _ choice: RemoteRights.Choice, _ scheme: String, fits: Bool = true
) {
  let isChosen = rights.choose(choice, for: Sample.scheme(scheme))
  #expect(isChosen == fits)
}

@Suite("What a remote may open") struct RemoteRuleTests {
  private static let laptop = RemoteName("laptop")!
  private let browser = Sample.app("browser", claims: ["http", "https"])
  private let photos = Sample.app("photos", claims: ["photos", "javascript", "file"])

  private var registry: Registry { Sample.registry([browser, photos]) }

  private func question(
    _ scheme: String, designated: String? = nil, device: String? = nil, hasPublicHost: Bool = true
  ) -> OpenRule.Question {
    var question = OpenRule.Question(
      .url(Sample.scheme(scheme), host: nil, link: nil), caller: .remote(Self.laptop),
      acting: .remote(Self.laptop), designated: designated.map(Sample.id), device: device)
    question.hasPublicHost = hasPublicHost
    return question
  }

  private func decide(
    _ question: OpenRule.Question, _ rights: RemoteRights? = RemoteRights(),
    _ approvals: [Approvals.Key: Bool] = [:]
  ) -> OpenRule.Decision {
    OpenRule.decide(
      question, in: registry,
      by: OpenRule.Policies(
        links: LinkRule(),
        confirmations: ConfirmationRule(approvals: Approvals(approvals)),
        site: { _ in .unspecified }, remoteRights: { $0 == Self.laptop ? rights : nil },
        redirectLoop: { _ in nil }))
  }

  private func isAsked(_ decision: OpenRule.Decision) throws -> Bool {
    try decision.outcome.get().unconfirmed != nil
  }

  private func failure(_ decision: OpenRule.Decision) -> String? {
    if case .failure(let failure) = decision.outcome { failure.text } else { nil }
  }

  @Test("a web page is opened, and the explanation says why") func web() throws {
    let decision = decide(question("https"))
    #expect(try !isAsked(decision))
    #expect(
      decision.trail.last
        == ExplanationStep(
          "confirmation",
          "the user is not asked: remote:laptop may open https URLs (lsregister remote list)"))
  }

  @Test("the user is asked before another scheme, until the user allows it") func otherScheme()
    throws
  {
    let opening = try decide(question("photos")).outcome.get()
    let situation = try #require(opening.unconfirmed)
    #expect(
      situation.sentence("photos:1")
        == "Let laptop (another machine or a container) open photos:1 with photos?")
    #expect(situation.remembersAnswer)
    #expect(situation.key.opener == .remote(Self.laptop))
    var rights = RemoteRights()
    expect(&rights, .allow, "photos")
    #expect(try !isAsked(decide(question("photos"), rights)))
    #expect(try !isAsked(decide(question("photos"), RemoteRights(), [situation.key: true])))
    #expect(
      failure(decide(question("photos"), rights, [situation.key: false]))?
        .hasPrefix("the user has declined that remote:laptop opens photos URLs") == true)
  }

  @Test("the user is asked before each page of the local network, whatever was answered before")
  func privateHost() throws {
    let local = question("http", hasPublicHost: false)
    let situation = try #require(try decide(local).outcome.get().unconfirmed)
    #expect(!situation.remembersAnswer)
    #expect(try isAsked(decide(local, RemoteRights(), [situation.key: true])))
  }

  @Test("a scheme that the user has denied is refused, and the remedy is named") func denied() {
    var rights = RemoteRights()
    expect(&rights, .deny, "https")
    #expect(
      failure(decide(question("https"), rights))
        == "remote:laptop may not open https URLs; on the machine of the user, 'lsregister remote ask laptop"
        + " https' changes that (OSStatus error -54)")
  }

  @Test(
    "program texts and files are refused, and cannot be allowed",
    arguments: ["javascript", "file", "data", "vbscript"])
  func never(_ scheme: String) {
    var rights = RemoteRights()
    _ = rights.choose(.allow, for: Sample.scheme(scheme))
    #expect(
      failure(decide(question(scheme), rights))?.hasPrefix("\(scheme) URLs are never opened")
        == true)
    #expect(RemoteRights.objection(toAllowing: Sample.scheme(scheme)) != nil)
    #expect(RemoteRights.objection(toAllowing: Sample.scheme("vscode")) == nil)
  }

  @Test("a remote chooses no application, and starts none") func choosing() {
    let refusal = "remote:laptop may open URLs, but no files, no applications and no quick actions"
    #expect(failure(decide(question("https", designated: "browser")))?.hasPrefix(refusal) == true)
    #expect(
      failure(decide(question("https", device: "Pixel 7")))?
        .hasPrefix("\(Self.laptop) may not send URLs to a device") == true)
    for subject in [
      OpenRule.Subject.application(photos.identifier), .quickAction(of: photos.identifier),
    ] {
      var open = question("https")
      open.subject = subject
      #expect(failure(decide(open))?.hasPrefix(refusal) == true)
    }
  }

  @Test("a remote that was removed opens nothing") func removed() {
    #expect(
      failure(decide(question("https"), nil))
        == "there is no remote:laptop; 'lsregister remote list' shows the remotes (OSStatus error -54)"
    )
  }

  @Test("queries are answered for the schemes only that are opened without a question")
  func canOpen() {
    let rights = RemoteRights()
    func canOpen(
      _ scheme: String, hasPublicHost: Bool = true, _ rights: RemoteRights?
    ) -> Bool {
      RemoteRule.canOpenCode(
        Sample.scheme(scheme), hasPublicHost: hasPublicHost, rights, in: registry) == nil
    }
    #expect(canOpen("https", rights))
    #expect(!canOpen("photos", rights))
    #expect(!canOpen("mailto", rights))
    #expect(!canOpen("https", nil))
    #expect(!canOpen("https", hasPublicHost: false, rights))
    #expect(
      RemoteRule.canOpenCode(nil, hasPublicHost: true, rights, in: registry) == .invalidURL)
  }

  @Test("option as is refused to a remote and to an outsider, with what to use") func asAnother()
    throws
  {
    let wanted = Sample.id("com.example.other")
    #expect(try ActingCaller.resolve(.remote(Self.laptop), as: nil) == .remote(Self.laptop))
    let error = #expect(throws: ActingNotPermitted.self) {
      try ActingCaller.resolve(.remote(Self.laptop), as: wanted)
    }
    #expect(
      error?.description
        == "option 'as' names com.example.other, but the caller is remote:laptop, which"
        + " opens URLs for itself only: leave it out")
    let socat = try #require(Outsider(program: "socat", otherNamespaces: []))
    #expect(try ActingCaller.resolve(.outsider(socat), as: nil) == .outsider(socat))
    let other = #expect(throws: ActingNotPermitted.self) {
      try ActingCaller.resolve(.outsider(socat), as: wanted)
    }
    #expect(other?.description.hasSuffix("'lsregister remote add NAME'") == true)
  }

  @Test("what an outsider opens is asked for as for a new remote", arguments: ["sh", "socat"])
  func outsider(_ program: String) throws {
    let outsider = try #require(Outsider(program: program, otherNamespaces: ["user", "mnt"]))
    func decide(_ scheme: String, hasPublicHost: Bool = true) -> OpenRule.Decision {
      var question = question(scheme, hasPublicHost: hasPublicHost)
      (question.caller, question.acting) = (.outsider(outsider), .unidentified)
      return self.decide(question)
    }
    let photos = decide("photos")
    #expect(
      photos.trail.last?.sentence
        == "the user is asked (row custom-remote of the setting Confirmations)")
    let situation = try #require(try photos.outcome.get().unconfirmed)
    #expect(
      situation.sentence("photos:1")
        == "Let a container or a forwarded connection open photos:1 with photos?")
    #expect(situation.key.opener == .web && situation.remembersAnswer)
    #expect(try !isAsked(decide("https")))
    let local = try #require(try decide("http", hasPublicHost: false).outcome.get().unconfirmed)
    #expect(local.row.name == "system-remote" && !local.remembersAnswer)
    #expect(failure(decide("javascript"))?.hasPrefix("javascript URLs are never opened") == true)
  }

  @Test(
    "whether there is an application shows only when the user has answered",
    arguments: [("nobody", true), ("http", false), ("broken", true)])
  func withheld(_ scheme: String, _ hasPublicHost: Bool) throws {
    let broken = Sample.app("broken", claims: ["broken"])
    let policies = OpenRule.Policies(
      links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
      remoteRights: { _ in RemoteRights() },
      launchFailure: { _ in .launchFailed("there is no program") }, redirectLoop: { _ in nil })
    func decide(_ caller: Caller, _ acting: ActingCaller) -> OpenRule.Decision {
      var question = question(scheme, hasPublicHost: hasPublicHost)
      (question.caller, question.acting) = (caller, acting)
      return OpenRule.decide(question, in: Sample.registry([broken]), by: policies)
    }
    let socat = try #require(Outsider(program: "socat", otherNamespaces: []))
    for decision in [
      decide(.remote(Self.laptop), .remote(Self.laptop)), decide(.outsider(socat), .unidentified),
    ] {
      let opening = try decision.outcome.get()
      #expect(opening.unconfirmed != nil)
      let failure = try #require(opening.receiver.failure)
      #expect(opening.receiver.handlerName == "" && opening.application == nil)
      #expect(
        decision.trail.last?.sentence == "fails when the user has answered: \(failure.text)")
      guard scheme != "broken" else { continue }
      #expect(opening.unconfirmed?.remembersAnswer == false)
      #expect(
        opening.unconfirmed?.sentence("\(scheme):1").hasSuffix(
          "learn that nothing here opens \(scheme):1?") == true)
    }
    // A scheme that the user has allowed needs no answer, and a program of the user learns all.
    #expect(failure(self.decide(question("https"))) == nil)
    let own = decide(.unidentified, .unidentified)
    #expect(try scheme == "broken" ? !isAsked(own) : failure(own) != nil)
  }

  @Test("a mail that attaches a file of this machine is refused to callers outside of the session")
  func attachment() throws {
    let socat = try #require(Outsider(program: "socat", otherNamespaces: []))
    let mail = Sample.app("mail", claims: ["mailto"])
    for (caller, acting, isRefused) in [
      (.remote(Self.laptop), .remote(Self.laptop), true), (.outsider(socat), .unidentified, true),
      (.unidentified, .unidentified, false),
    ] as [(Caller, ActingCaller, Bool)] {
      for attaches in [true, false] {
        var question = question("mailto")
        (question.caller, question.acting, question.attachesFile) = (caller, acting, attaches)
        let decision = OpenRule.decide(
          question, in: Sample.registry([mail]),
          by: OpenRule.Policies(
            links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
            remoteRights: { _ in RemoteRights() }, redirectLoop: { _ in nil }))
        #expect(
          failure(decision)?.hasPrefix("the mailto URL names a file to be attached")
            == (isRefused && attaches ? true : nil))
      }
    }
  }

  @Test("an opener that may not know the handler learns what its user can do") func advice() throws
  {
    let unasked = OpenFailure.confirmationUnavailable("photos could not be asked for")
    let registry = registry
    func told(_ caller: Caller) throws -> String {
      unasked.withoutHandler(for: try #require(registry.sandboxed(caller))).sentence
    }
    let socat = try #require(Outsider(program: "socat", otherNamespaces: []))
    #expect(try told(.remote(Self.laptop)).contains("'lsregister remote allow laptop SCHEME'"))
    #expect(
      try told(.remote(Self.laptop)).hasSuffix(
        "or switch the row system-remote of the setting Confirmations off there"))
    #expect(try told(.outsider(socat)).hasSuffix(Outsider.advice))
    #expect(
      try told(.orphan(isSandboxed: true))
        == "the user must confirm this open, but could not be asked")
    #expect(
      ConfirmationQueue.Question(
        request: RequestID(1),
        key: Approvals.Key(
          opener: .remote(Self.laptop), scheme: Sample.scheme("photos"), handler: photos.identifier),
        connection: ":1.1", row: "custom-remote"
      ).nextStep.hasSuffix("lsregister remote allow laptop photos"))
  }
}

@Suite("Names and pace of remotes") struct RemoteNameTests {
  @Test("a name is one part of a path and of a host name") func names() {
    for name in ["laptop", "build-7.example.com", "a_b", "7"] {
      #expect(RemoteName(name)?.text == name)
      #expect(RemoteName(callerName: "remote:\(name)")?.text == name)
    }
    for name in [
      "", ".", "..", "-x", "a/b", "a b", "ä", "a:b", "a\0b", String(repeating: "x", count: 41),
    ] {
      #expect(RemoteName(name) == nil, "\(name)")
    }
    #expect(RemoteName(callerName: "laptop") == nil)
    #expect(Approvals.Opener("remote:laptop")?.description == "remote:laptop")
  }

  @Test("choices that are the standard take no place, and the rest has a limit") func rights() {
    var rights = RemoteRights()
    #expect(rights.allowed.map(\.text) == ["http", "https", "mailto"])
    expect(&rights, .allow, "https")
    #expect(rights.changes.isEmpty)
    expect(&rights, .deny, "mailto")
    #expect(rights.denied.map(\.text) == ["mailto"])
    for number in 1..<RemoteRights.mostChanges {
      expect(&rights, .allow, "s\(number)")
    }
    expect(&rights, .allow, "more", fits: false)
    expect(&rights, .ask, "s1")
    expect(&rights, .allow, "more")
  }

  @Test("the pace admits its number at once, and after a minute again, never more in any minute")
  func pace() {
    var pace = OpenPace(perMinute: 3)
    var waits: [UInt64?] = []
    for time: UInt64 in [1, 1, 1, 1, 21, 21, 200, 200, 200, 200] {
      waits.append(pace.use(at: time * 1_000_000))
    }
    #expect(waits == [nil, nil, nil, 20_000_000, nil, 20_000_000, nil, nil, nil, 20_000_000])
  }

  @Test("what is done already counts at once, and delays the next for as long as it costs")
  func taken() {
    var pace = OpenPace(perMinute: 6)
    #expect(pace.take(6, at: 1_000_000) == nil)
    #expect(pace.take(2, at: 1_000_000) == 20_000_000)
    #expect(pace.use(at: 20_999_999) == 10_000_001)
    #expect(pace.take(1, at: 31_000_000) == nil)
    #expect(pace.take(0, at: 31_000_000) == nil)
  }

  @Test("whatever the times of the opens, a minute has at most twice the number") func randomPace()
  {
    let seed = UInt64.random(in: 0...9999)
    var random = SplitMix64(seed: seed)
    var pace = OpenPace(perMinute: 10)
    var (now, admitted) = (UInt64(0), [UInt64]())
    for _ in 0..<5000 {
      now += UInt64.random(in: 0...3_000_000, using: &random)
      if pace.use(at: now) == nil { admitted.append(now) }
    }
    for start in admitted {
      let inMinute = admitted.count { $0 >= start && $0 < start + 60_000_000 }
      #expect(inMinute <= 20, "seed \(seed)")
    }
    #expect(admitted.count > 1000, "seed \(seed)")
  }
}

@Suite("Whether a host is certainly public") struct PublicHostTests {
  @Test(
    "names and addresses of the Internet are",
    arguments: [
      "example.com", "EXAMPLE.com.", "8.8.8.8", "1.1.1.1", "www.xn--bcher-kva.de",
      "example.xn--p1ai",
      "172.32.0.1",
      "100.128.0.1", "134744072", "0x8.0x8.0x8.0x8", "a_b.example.org",
      "shop.box", "notfritz.box",
    ])
  func isPublic(_ host: String) { #expect(PublicHost.isCertain(host)) }

  @Test(
    "this machine, the local network and what a browser may read so are not",
    arguments: [
      "localhost", "LOCALHOST.", "a.localhost", "printer", "printer.local", "nas.lan",
      "x.home.arpa",
      "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0x7f000001", "0", "0.0.0.0",
      "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
      "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "[::1]", "fe80::1", "2001:db8::1", "",
      "１２７.0.0.1", "127。0.0.1", "1.2.3.4.5", "1.2.3.256", "8.256.8.8", "256.8.8.8", "08.8.8.8",
      "a..b", "0x.0.0.1", "shop.test", "x.invalid", "x.example", "x.onion", "x.alt",
      "1.0.0.127.in-addr.arpa", "x.q", "x.1a", "192.0.2.1", "198.51.100.1", "203.0.113.1",
      "4294967296", "99999999999999999999", "fritz.box", "nas.FRITZ.box.", "wiki.intra",
      "speedport.ip", "nas.lokal", "nas.workgroup", "nas.localnet", "server.dmz",
      "router.xy", "foo.xn--zzzz",
    ])
  func isNotPublic(_ host: String) { #expect(!PublicHost.isCertain(host)) }

  @Test(
    "a text with characters that no URL has before its path may lead a browser elsewhere",
    arguments: [
      (#"http://127.0.0.1:631\@example.com/"#, false),
      (#"http://a:b@127.0.0.1\:c@example.com"#, false),
      (#"http://localhost"@example.com/"#, false), ("http://localhost @example.com/", false),
      ("http://localhost^@example.com/", false), ("http://ü@example.com", false),
      (#"http:\\127.0.0.1/"#, false), ("http:example.com", false), ("http:", false), ("", false),
      ("http://example.com", true), ("https://a:b%5C@[::1]:8/\\ ü?\\#\\", true), ("http://", true),
      ("http://example.com?a\\b", true), ("HTTP://!$&'()*+,;=-._~@x", true),
    ])
  func plainAuthority(_ url: String, _ isPlain: Bool) {
    #expect(PublicHost.hasPlainAuthority(url) == isPlain)
  }

  @Test("nor is a URL without a host, in which a browser may find one") func none() {
    #expect(!PublicHost.isCertain(nil))
  }

  @Test("every address of a private network is recognised in each of its spellings")
  func spellings() {
    let seed = UInt64.random(in: 0...9999)
    var random = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      let bytes = (0..<4).map { _ in UInt64.random(in: 0...255, using: &random) }
      let whole = bytes.reduce(0) { $0 << 8 | $1 }
      let isPublic = PublicHost.isCertain(bytes.map(String.init).joined(separator: "."))
      let spellings = [
        String(whole), "0x" + String(whole, radix: 16), "0" + String(whole, radix: 8),
        "\(bytes[0]).\(whole & 0xFF_FFFF)", "\(bytes[0]).\(bytes[1]).\(whole & 0xFFFF)",
        bytes.map { "0x" + String($0, radix: 16) }.joined(separator: "."),
      ]
      for spelling in spellings {
        #expect(PublicHost.isCertain(spelling) == isPublic, "seed \(seed): \(bytes) as \(spelling)")
      }
    }
  }
}

@Suite("Outsiders") struct OutsiderTests {
  @Test("a forwarder is recognised by its executable, a container by its namespaces") func reasons()
  {
    #expect(
      Outsider(program: "systemd-stdio-bridge", otherNamespaces: [])
        == .forwarder(program: "systemd-stdio-bridge"))
    #expect(Outsider(program: "ssh", otherNamespaces: ["pid"]) == .forwarder(program: "ssh"))
    #expect(
      Outsider(program: "bash", otherNamespaces: ["pid", "mnt"])
        == .container(namespaces: "pid, mnt"))
    #expect(Outsider(program: "bash", otherNamespaces: []) == nil)
    #expect(Outsider(program: nil, otherNamespaces: ["mnt"]) == .container(namespaces: "mnt"))
    #expect(Outsider(program: "ssh-agent", otherNamespaces: []) == nil)
  }

  @Test(
    "programs that connect sockets with other machines are forwarders",
    arguments: [
      "autossh", "busybox", "chisel", "docker-proxy", "et", "gvproxy", "haproxy", "mosh-server",
      "pasta",
      "plink", "qemu-system-x86_64", "rootlessport", "slirp4netns", "stunnel4", "virtiofsd",
    ])
  func forwarders(program: String) {
    #expect(
      Outsider(program: program, otherNamespaces: []) == .forwarder(program: program))
  }

  @Test("The loader may start a forwarder, so a program that it starts is not known")
  func loader() {
    let loader = "ld-linux-x86-64.so.2"
    #expect(Outsider(program: loader, otherNamespaces: []) == .loader(program: loader))
    #expect(Outsider(program: loader, otherNamespaces: [])?.hasRightsOfRemote == true)
  }
}
