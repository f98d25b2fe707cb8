import LaunchRules
import Testing

@Suite("The devices that are known") struct DeviceListTests {
  private static func device(
    _ id: String, _ name: String, isPaired: Bool = true, isReachable: Bool = true
  ) -> Device {
    guard
      let device = Device(id: id, name: name, isPaired: isPaired, isReachable: isReachable)
    else { preconditionFailure("\(id) is no identifier") }
    return device
  }

  private let list = DeviceList([
    device("_a1_", "Pixel"), device("b2", "pixel"), device("c3", "Tablet"), device("d4", "Tablet"),
    device("Tablet", "Other"), device("e5", "Unpaired", isPaired: false),
    device("f6", "Away", isReachable: false),
  ])

  @Test(
    "an identifier goes before a name, and case counts where two names differ in nothing else",
    arguments: [
      ("_a1_", "_a1_"), ("Pixel", "_a1_"), ("pixel", "b2"), ("Tablet", "Tablet"),
      ("OTHER", "Tablet"),
    ])
  func found(_ name: String, _ id: String) throws {
    #expect(try list.device(named: name).id == id)
  }

  @Test(
    "strangers in the network do not stand in the way of paired devices, whatever they are called")
  func strangers() throws {
    let list = DeviceList([
      Self.device("ee66", "Pixel", isPaired: false), Self.device("aa11", "Pixel"),
      Self.device("old1", "Pixel", isReachable: false),
      Self.device("tablet", "stranger", isPaired: false), Self.device("bb22", "tablet"),
      Self.device("PIXEL", "other", isPaired: false),
      Self.device("cc33", "Away", isReachable: false),
      Self.device("dd44", "Away", isPaired: false),
    ])
    #expect(try list.device(named: "Pixel").id == "aa11")
    #expect(try list.device(named: "pixel").id == "aa11")
    #expect(try list.device(named: "PIXEL").id == "aa11")
    #expect(try list.device(named: "tablet").id == "bb22")
    let failure = #expect(throws: OpenFailure.self) { try list.device(named: "Away") }
    #expect(failure?.sentence.contains("Away is not reachable") == true)
    let stranger = #expect(throws: OpenFailure.self) { try list.device(named: "stranger") }
    #expect(stranger?.sentence.contains("stranger is not paired") == true)
  }

  @Test(
    "a device that cannot receive a URL fails with the next step",
    arguments: [
      ("Nokia", #"no device is called "Nokia"; 'lsregister devices' lists the devices"#),
      (
        "PIXEL",
        #"2 devices are called "PIXEL": name the device by its identifier, which 'lsregister devices'"#
          + " prints"
      ),
      (
        "Unpaired",
        "Unpaired is not paired: run 'kdeconnect-cli --pair --device e5', and accept on the device"
      ),
      (
        "away",
        "Away is not reachable: unlock the device, connect it to the same network and open KDE"
          + " Connect there; 'lsregister devices' shows whether the device is reachable"
      ),
    ])
  func failure(_ name: String, _ sentence: String) {
    #expect(throws: OpenFailure.deviceUnavailable(sentence)) { try list.device(named: name) }
  }

  @Test("the problem of KDE Connect is the reason for an unknown device only") func problem() throws
  {
    let list = DeviceList([Self.device("a", "Pixel")], problem: .timedOut(seconds: 2))
    #expect(try list.device(named: "Pixel").id == "a")
    #expect(
      throws: OpenFailure.deviceUnavailable(
        #"no machine is called "Nokia" ('lsregister remote add NAME' adds one that ssh reaches), and phones are not"#
          + " known: KDE Connect did not answer within 2 s; check whether"
          + " kdeconnectd hangs")
    ) { try list.device(named: "Nokia") }
  }

  @Test("an identifier becomes part of an object path, so all other characters are refused")
  func identifiers() {
    for id in ["", "a/b", "a-b", "ä", "a b", "../a", String(repeating: "a", count: 65)] {
      #expect(Device(id: id, name: "A") == nil, "\(id)")
    }
    #expect(Device(id: "_1a_", name: "A")?.identifier.text == "org.kde.kdeconnect.device.-1a-")
  }

  @Test("a machine has the name of its remote, and is found before a phone of that name")
  func machine() throws {
    let machine = Device(machine: try #require(RemoteName("build_1.example")))
    #expect(machine.id == "build_1.example" && machine.kind == .machine)
    #expect(machine.identifier.text == "org.launchservices.machine.build-1-example")
    let list = DeviceList([Self.device("a", "build_1.example"), machine])
    #expect(try list.device(named: "build_1.example") == machine)
    #expect(Device.Kind(type: "machine") == .unknown)
  }

  @Test("KDE Connect that cannot start needs a display, and the reason says so") func notStarted() {
    #expect(
      DeviceProblem.notStarted("it received signal 6").sentence
        == "the message bus could not start KDE Connect: it received signal 6; KDE Connect needs a display: run the"
        + " command in a desktop session whose message bus has DISPLAY or WAYLAND_DISPLAY")
  }

  @Test("the answer of a machine is that of the open") func answerOfMachine() throws {
    let machine = Device(machine: try #require(RemoteName("build")))
    func fate(_ answer: DeviceRule.Answer) -> Result<OpenOutcome, OpenFailure> {
      DeviceRule.fate(of: answer, by: machine)
    }
    let opened = try fate(.opened(OpenOutcome(.cold, .delivered, handled: true))).get()
    #expect(opened.launch == .cold && opened.delivery == .delivered && opened.way == "ssh")
    #expect(
      fate(.failed(.applicationNotFound("nobody")))
        == .failure(.applicationNotFound("on build: nobody")))
    #expect(
      fate(.failed(.handlerRefused("x?secret")))
        == .failure(.handlerRefused("the open failed on build", words: "x?secret")))
    #expect(
      fate(.unsent(.noCommand))
        == .failure(.deviceUnavailable(UnsentReason.noCommand.sentence(about: "build"))))
    guard case .failure(.deliveryUnknown) = fate(.unanswered("cut")) else {
      Issue.record("a cut is no unknown delivery")
      return
    }
  }

  @Test(
    "a failure after a rule of the user names the rule, and the command that opens here again",
    arguments: [
      ("photos", "photos"), ("com.example.app:", "com.example.app:"),
      ("*.example.com", "'*.example.com'"), ("//wiki", "//wiki"),
    ])
  func failureAfterRule(_ text: String, _ word: String) throws {
    let machine = Device(machine: try #require(RemoteName("build")))
    let rule = try #require(MachineRules.Subject(text))
    let remark =
      "; your rule sends \(text) to build: to open \(text) here, use lsregister remote keep build \(word)"
    for answer in [
      .unsent(.noConnection("no route")), .unanswered("cut"),
      .failed(.applicationNotFound("nobody")),
    ] as [DeviceRule.Answer] {
      guard case .failure(let plain) = DeviceRule.fate(of: answer, by: machine),
        case .failure(let ruled) = DeviceRule.fate(of: answer, by: machine, sentBy: rule)
      else {
        Issue.record("\(answer) is no failure")
        return
      }
      #expect(ruled.sentence == plain.sentence + remark && ruled.status == plain.status)
    }
    // The words of the other machine may repeat the URL, and stay apart.
    #expect(
      DeviceRule.fate(of: .failed(.handlerRefused("x?secret")), by: machine, sentBy: rule)
        == .failure(.handlerRefused("the open failed on build" + remark, words: "x?secret")))
    let refusal = DeviceRule.refusal(ofProcessOptions: true, for: machine, sentBy: rule)
    #expect(refusal?.sentence.hasSuffix(remark) == true)
    #expect(DeviceRule.refusal(ofProcessOptions: false, for: machine, sentBy: rule) == nil)
  }

  @Test("a name is one line of limited length, and never empty") func names() {
    #expect(Self.device("a", "Pixel\n7\u{202e}").name == "Pixel 7 ")
    #expect(Self.device("a", "").name == "a")
    #expect(Self.device("a", String(repeating: "x", count: 200)).name.count == 100)
    #expect(Self.device("a", "Pixel").handlerName == "device:Pixel")
    #expect(BundleIdentifier(Self.device("a", "Pixel").handlerName) == nil)
  }
}

@Suite("Opens that go to a device") struct DeviceRuleTests {
  private let phone = Sample.app(
    SystemApplication.phone.identifier, claims: ["tel"], system: true)
  private let faceTime = Sample.app(
    SystemApplication.faceTime.identifier, claims: ["facetime"], system: true)
  private let messages = Sample.app(
    SystemApplication.messages.identifier, claims: ["sms"], system: true)
  private let mac = Sample.app("mac", on: .macOS)
  private let ios = Sample.app("ios")
  private let dialer = Sample.app("dialer", claims: ["tel"], on: .macOS)
  private static let pixel = Device(id: "a1", name: "Pixel")
  private static let reachable = DeviceList([pixel].compactMap(\.self))

  private func registry(
    _ applications: [InstalledApplication], callsFrom: String? = "Pixel", tel: String? = nil
  ) -> Registry {
    var registry = Registry(callsFrom: callsFrom)
    registry.change(removing: [], installing: applications.map { ApplicationRecord($0) })
    if let tel { registry.bind(Sample.scheme("tel"), to: Sample.id(tel)) }
    return registry
  }

  private func decision(
    _ scheme: String, by opener: InstalledApplication? = nil, on device: String? = nil,
    designated: String? = nil, in registry: Registry, isLink: Bool = false,
    format: URLFormatFinding = .accepted(), devices: DeviceList = reachable
  ) -> OpenRule.Decision {
    let caller = opener.map { Caller.application($0.identifier, .checkedIn) } ?? .unidentified
    let acting: ActingCaller =
      opener.map { .identified($0.identifier, .checkedIn) } ?? .unidentified
    return OpenRule.decide(
      OpenRule.Question(
        .url(Sample.scheme(scheme), host: nil, link: nil), caller: caller, acting: acting,
        designated: designated.map(Sample.id), device: device, isLink: isLink, format: format),
      in: registry,
      by: OpenRule.Policies(
        links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
        devices: devices, redirectLoop: { _ in nil }))
  }

  private func receiver(_ decision: OpenRule.Decision) -> String? {
    try? decision.outcome.get().receiver.handlerName
  }

  @Test(
    "Handoff: tel and sms of macOS and of a shell go to the device of CallsFrom, also without Phone",
    arguments: ["tel", "sms"])
  func calls(_ scheme: String) throws {
    for applications in [[], [phone, faceTime, messages]] {
      let registry = registry(applications + [mac, ios])
      for opener in [nil, mac] {
        let decision = decision(scheme, by: opener, in: registry)
        #expect(receiver(decision) == "device:Pixel")
        let asked = try #require(try decision.outcome.get().unconfirmed)
        #expect(asked.row.name == "handoff-application")
        #expect(asked.remembersAnswer == (scheme == "sms"))
        #expect(
          decision.trail.first
            == ExplanationStep(
              "device",
              "Pixel (phone, by kdeconnect, id a1), named in the setting CallsFrom"))
        #expect(registry.hasHandler(for: Sample.scheme(scheme), opener: opener?.identifier))
      }
      let own = scheme == "tel" ? phone : messages
      #expect(
        receiver(decision(scheme, by: ios, in: registry))
          == (applications.isEmpty ? nil : own.identifier.text))
    }
  }

  @Test("Handoff, not configured: tel of macOS goes to FaceTime") func notConfigured() {
    let registry = registry([phone, faceTime, mac], callsFrom: nil)
    #expect(receiver(decision("tel", by: mac, in: registry)) == faceTime.identifier.text)
    #expect(!DeviceRule.needsDevices(nil, scheme: Sample.scheme("tel"), in: registry))
  }

  @Test("Handoff, not reachable: the call fails, and no application gets it") func notReachable() {
    let away = DeviceList(
      [Device(id: "a1", name: "Pixel", isReachable: false)].compactMap(\.self))
    let decision = decision(
      "tel", by: mac, in: registry([phone, faceTime, mac]), devices: away)
    guard case .failure(.deviceUnavailable(let sentence)) = decision.outcome else {
      Issue.record("\(decision.outcome)")
      return
    }
    #expect(sentence.hasPrefix("Pixel is not reachable"))
    #expect(sentence.hasSuffix("; the setting CallsFrom of launchservicesd names this device"))
    #expect(
      decision.trail == [
        ExplanationStep("device", #""Pixel", named in the setting CallsFrom"#),
        ExplanationStep("open", "fails: \(sentence) (OSStatus error -10822)"),
      ])
  }

  @Test("an application that the opener or the user has chosen goes before CallsFrom")
  func chosen() {
    let registry = registry([phone, faceTime, dialer, mac], tel: "dialer")
    #expect(receiver(decision("tel", in: registry)) == "dialer")
    let unbound = self.registry([phone, faceTime, dialer, mac])
    #expect(receiver(decision("tel", designated: "dialer", in: unbound)) == "dialer")
    #expect(receiver(decision("tel", in: unbound)) == "device:Pixel")
  }

  @Test("what another machine has sent is never sent on to the machine of CallsFrom")
  func noCircle() throws {
    let work = try #require(RemoteName("work"))
    let devices = DeviceList([Device(machine: work)])
    let registry = registry([phone, mac], callsFrom: "work")
    func decide(_ change: (inout OpenRule.Question) -> Void) -> OpenRule.Decision {
      var question = OpenRule.Question(
        .url(Sample.scheme("tel"), host: nil, link: nil), caller: .unidentified,
        acting: .unidentified)
      change(&question)
      return OpenRule.decide(
        question, in: registry,
        by: OpenRule.Policies(
          links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
          devices: devices, redirectLoop: { _ in nil }))
    }
    #expect(receiver(decide { _ in }) == "device:work")
    let relayed = decide { $0.isRelayed = true }
    #expect(receiver(relayed) == phone.identifier.text)
    #expect(
      relayed.trail.first
        == ExplanationStep(
          "rule", "tel is sent to work, but not this URL, which comes from another machine"))
    let remote = decide { ($0.caller, $0.acting) = (.remote(work), .remote(work)) }
    #expect(remote.device == nil)
  }

  @Test("other schemes need no device, and go to no device") func otherSchemes() {
    let registry = registry([Sample.app("mail", claims: ["mailto"])])
    #expect(!DeviceRule.needsDevices(nil, scheme: Sample.scheme("mailto"), in: registry))
    #expect(DeviceRule.needsDevices(nil, scheme: Sample.scheme("sms"), in: registry))
    #expect(DeviceRule.needsDevices("Pixel", scheme: Sample.scheme("mailto"), in: registry))
    #expect(receiver(decision("mailto", in: registry)) == "mail")
  }

  @Test("any URL goes to the device that the opener names; a link of a page asks") func named()
    throws
  {
    let registry = registry([mac], callsFrom: nil)
    for opener in [nil, mac] {
      let opening = try decision("https", by: opener, on: "a1", in: registry).outcome.get()
      #expect(opening.receiver.handlerName == "device:Pixel")
      #expect(opening.application == nil && opening.unconfirmed == nil && opening.source == nil)
    }
    let asked = try #require(
      try decision("https", on: "Pixel", in: registry, isLink: true).outcome.get().unconfirmed)
    #expect(
      asked.sentence("https://a.example")
        == "Let a web page open https://a.example on the device Pixel?")
    #expect(asked.remembersAnswer)
    let call = try #require(
      try decision("tel", on: "Pixel", in: registry, isLink: true).outcome.get().unconfirmed)
    #expect(call.sentence("tel:1") == "Let a web page call 1 with Pixel?")
    #expect(!call.remembersAnswer)
  }

  @Test("an iOS application may name no device, whether it exists or not") func access() {
    let registry = registry([ios])
    for name in ["Pixel", "Nokia"] {
      #expect(
        decision("https", by: ios, on: name, in: registry).outcome
          == .failure(
            .notPermitted("ios is an iOS application, which may not send URLs to a device")))
    }
  }

  @Test("what no device can use is refused before the device is looked for") func unusable() {
    let registry = registry([])
    let bad = OpenFailure.invalidURL("it contains *")
    for opensApplication in [true, false] {
      let decision = decision(
        "tel", in: registry, format: .refused(bad, opensApplication: opensApplication),
        devices: .notAsked)
      #expect(decision.outcome == .failure(bad))
    }
    guard
      case .failure(.notPermitted) = decision("javascript", on: "Pixel", in: registry).outcome
    else {
      Issue.record("javascript was sent to a device")
      return
    }
    let application = OpenRule.decide(
      OpenRule.Question(
        .application(ios.identifier), caller: .unidentified, acting: .unidentified,
        device: "Pixel"),
      in: registry,
      by: OpenRule.Policies(
        links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
        devices: Self.reachable, redirectLoop: { _ in nil }))
    #expect(application.outcome == .failure(.notPermitted(DeviceRule.onlyURLs)))
  }

  @Test("the answer of the transport is never called a delivery") func fates() throws {
    let pixel = try #require(Self.pixel)
    let taken = try DeviceRule.fate(of: .taken, by: pixel).get()
    #expect(taken.delivery == .handedOver && taken.way == "kdeconnect" && taken.process == 0)
    func failure(_ answer: DeviceRule.Answer) -> OpenFailure? {
      if case .failure(let failure) = DeviceRule.fate(of: answer, by: pixel) {
        failure
      } else {
        nil
      }
    }
    guard case .deviceUnavailable(let absent)? = failure(.absent("gone")) else {
      Issue.record("absent")
      return
    }
    #expect(absent.contains("nothing was sent"))
    guard case .deliveryUnknown? = failure(.unanswered("late")) else {
      Issue.record("unanswered")
      return
    }
    // The words of the transport may repeat a query.
    #expect(
      failure(.refused("https://a?secret"))?.withoutWords.sentence.contains("secret") == false)
  }
}

@Suite("The current activity of an application") struct CurrentActivityTests {
  @Test("must have a declared type, and a page of the web") func objection() {
    let activity = CurrentActivity(type: "com.example.reading", webpageURL: "https://a.example")
    let notes = Sample.id("notes")
    #expect(
      activity.objection(of: notes, declared: ["com.example.reading"], isWebPage: true) == nil)
    #expect(
      activity.objection(of: notes, declared: ["com.example.other"], isWebPage: true)
        == #"notes does not declare the activity type "com.example.reading"; add the type to"#
        + " NSUserActivityTypes in its property list")
    #expect(
      activity.objection(of: notes, declared: ["com.example.reading"], isWebPage: false)
        == "the webpage-url of an activity must be an http or https URL")
  }
}
