import LaunchRules
import Testing

private typealias Table = ConfirmationTable

@Suite("R4.15 R9.7 R9.11 Whether the user is asked")
struct ConfirmationTableTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var scheme: String
    var origin: ConfirmationTable.Origin
    var platform: Platform
    var sdk: LinkedSDK = .newest
    var isSystem = false
    var isDevice = false
    var isHandoff = false
    var asks: Bool
    var testDescription: String {
      "\(scheme) from \(origin), \(platform) \(sdk), \(asks ? "asks" : "goes on")"
    }
  }

  static let cases = [
    // tel: link in a web page (iOS)
    Case(scheme: "tel", origin: .web, platform: .iOS, isSystem: true, asks: true),
    Case(
      scheme: "tel", origin: .web, platform: .iOS, sdk: LinkedSDK(9), isSystem: true, asks: true),
    Case(scheme: "tel", origin: .web, platform: .macOS, isSystem: true, asks: true),
    // tel: from a native app
    Case(
      scheme: "tel", origin: .application, platform: .iOS, sdk: LinkedSDK(10, 3), isSystem: true,
      asks: true),
    Case(
      scheme: "tel", origin: .application, platform: .iOS, sdk: LinkedSDK(10, 2), isSystem: true,
      asks: false),
    Case(scheme: "tel", origin: .application, platform: .macOS, isSystem: true, asks: false),
    Case(scheme: "telprompt", origin: .application, platform: .iOS, isSystem: true, asks: true),
    // facetime:
    Case(scheme: "facetime", origin: .web, platform: .iOS, isSystem: true, asks: true),
    Case(scheme: "facetime", origin: .application, platform: .iOS, isSystem: true, asks: true),
    Case(
      scheme: "facetime", origin: .application, platform: .iOS, sdk: LinkedSDK(10), isSystem: true,
      asks: true),
    Case(
      scheme: "facetime", origin: .application, platform: .iOS, sdk: LinkedSDK(9), isSystem: true,
      asks: false),
    Case(scheme: "facetime", origin: .application, platform: .macOS, isSystem: true, asks: true),
    Case(scheme: "facetime", origin: .web, platform: .macOS, isSystem: true, asks: true),
    Case(scheme: "facetime-audio", origin: .web, platform: .iOS, isSystem: true, asks: true),
    // custom schemes
    Case(scheme: "photos", origin: .web, platform: .iOS, asks: true),
    Case(scheme: "photos", origin: .web, platform: .macOS, asks: true),
    Case(scheme: "photos", origin: .application, platform: .iOS, asks: false),
    Case(scheme: "photos", origin: .application, platform: .macOS, asks: false),
    // App Store links
    Case(scheme: "itms-apps", origin: .web, platform: .iOS, asks: true),
    Case(scheme: "itms-apps", origin: .web, platform: .iOS, sdk: LinkedSDK(10, 2), asks: false),
    Case(scheme: "itms-apps", origin: .web, platform: .macOS, asks: false),
    Case(scheme: "itms-apps", origin: .application, platform: .iOS, asks: false),
    // another device
    Case(scheme: "https", origin: .web, platform: .macOS, isDevice: true, asks: true),
    Case(scheme: "sms", origin: .web, platform: .iOS, isDevice: true, asks: true),
    Case(scheme: "https", origin: .application, platform: .macOS, isDevice: true, asks: false),
    Case(scheme: "tel", origin: .web, platform: .macOS, isDevice: true, asks: true),
    Case(scheme: "tel", origin: .application, platform: .macOS, isDevice: true, asks: false),
    Case(scheme: "facetime", origin: .application, platform: .macOS, isDevice: true, asks: true),
    // the device of the setting CallsFrom
    Case(
      scheme: "tel", origin: .web, platform: .macOS, isDevice: true, isHandoff: true, asks: true),
    Case(
      scheme: "tel", origin: .application, platform: .macOS, isDevice: true, isHandoff: true,
      asks: true),
    Case(
      scheme: "sms", origin: .application, platform: .macOS, isDevice: true, isHandoff: true,
      asks: true),
    Case(
      scheme: "tel", origin: .remote, platform: .macOS, isDevice: true, isHandoff: true, asks: true),
    // what a system application handles
    Case(scheme: "mailto", origin: .web, platform: .iOS, isSystem: true, asks: false),
    Case(scheme: "mailto", origin: .application, platform: .iOS, isSystem: true, asks: false),
    Case(scheme: "https", origin: .web, platform: .iOS, asks: false),
    // another machine or a container
    Case(scheme: "tel", origin: .remote, platform: .macOS, isSystem: true, asks: true),
    Case(scheme: "facetime", origin: .remote, platform: .macOS, isSystem: true, asks: true),
    Case(scheme: "itms-apps", origin: .remote, platform: .macOS, asks: true),
    Case(scheme: "photos", origin: .remote, platform: .macOS, asks: true),
    Case(scheme: "mailto", origin: .remote, platform: .macOS, isSystem: true, asks: true),
    Case(scheme: "sms", origin: .remote, platform: .macOS, isDevice: true, asks: true),
    // an exempt application of Apple's, on macOS
    Case(scheme: "photos", origin: .web, platform: .macOS, isSystem: true, asks: false),
  ]

  @Test("by what is opened, from where, under which system", arguments: cases)
  func row(_ sample: Case) throws {
    let situation = try situation(sample)
    let isAsked = if case .ask = ConfirmationRule().decide(situation) { true } else { false }
    #expect(isAsked == sample.asks)
  }

  private func situation(_ sample: Case) throws -> ConfirmationRule.Situation {
    var opener = try #require(installed("com.example.opener"))
    opener.declaration.platform = sample.platform
    opener.declaration.linkedSDK = sample.sdk
    var handler = try #require(installed("com.example.handler"))
    let device = try #require(Device(id: "a", name: "A"))
    handler.isSystem = sample.isSystem
    return .init(
      scheme: try #require(URLScheme(sample.scheme)), opener: opener, origin: sample.origin,
      handler: sample.isDevice ? .device(device) : .application(handler),
      isHandoff: sample.isHandoff)
  }

  @Test("each situation has one row, and each row a name of its own and a case above")
  func complete() throws {
    var used: Set<String> = []
    for trigger in Table.Trigger.allCases {
      for origin in Table.Origin.allCases {
        for profile in Table.Profile.allCases {
          used.insert(Table.row(trigger, origin, profile).name)
        }
      }
    }
    #expect(used.count == Table.rows.count)
    #expect(Set(try Self.cases.map { try situation($0).row.name }) == used)
    #expect(Set(Table.rows.map(\.name)) == used)
  }

  @Test("an opener without a property list is treated as one of macOS") func unidentified() throws {
    let handler = try #require(installed("com.example.phone"))
    func decision(_ scheme: String) throws -> ConfirmationRule.Decision {
      ConfirmationRule().decide(
        .init(
          scheme: try #require(URLScheme(scheme)), opener: nil, origin: .application,
          handler: .application(handler)))
    }
    #expect(try decision("tel") == .proceed(row: "tel-application-macos"))
    #expect(
      try "\(decision("tel"))"
        == "the user is not asked (row tel-application-macos of the setting Confirmations)")
    #expect(try decision("facetime") == .ask(row: "facetime-application-macos"))
  }

  @Test("the settings switch a row") func switched() throws {
    let sample = Case(scheme: "photos", origin: .application, platform: .iOS, asks: false)
    let rule = ConfirmationRule(table: Table(changes: ["custom-application": true]))
    #expect(
      "\(rule.decide(try situation(sample)))"
        == "the user is asked (row custom-application of the setting Confirmations)")
  }

  @Test("D12: FaceTime asks from iOS 10 on, and each row names its systems") func rows() {
    let row = { (profile: ConfirmationTable.Profile) in
      ConfirmationTable.row(.faceTime, .application, profile)
    }
    #expect(row(.earliestIOS).name == "facetime-application-before-10" && !row(.earliestIOS).asks)
    #expect(row(.earlyIOS).name == "facetime-application" && row(.earlyIOS).asks)
    #expect(row(.iOS) == row(.earlyIOS))
    #expect(
      row(.iOS).situation
        == "`facetime` and `facetime-audio`, opened by an application for iOS 10 or later")
    #expect(
      row(.earliestIOS).situation
        == "`facetime` and `facetime-audio`, opened by an application for iOS before 10")
    #expect(
      ConfirmationTable.row(.telephone, .application, .earliestIOS).situation
        == "`tel` and `telprompt`, opened by an application for iOS before 10.3")
  }

  @Test(
    "D2: an answer about a call, or about FaceTime from macOS, is never remembered",
    arguments: [
      ("tel", Platform.iOS, false), ("telprompt", .iOS, false), ("tel", .macOS, false),
      ("facetime", .macOS, false), ("facetime-audio", .macOS, false), ("facetime", .iOS, true),
      ("photos", .macOS, true),
    ])
  func alwaysAsked(_ scheme: String, _ platform: Platform, _ isRemembered: Bool) throws {
    let situation = try situation(
      Case(scheme: scheme, origin: .web, platform: platform, asks: true))
    #expect(situation.remembersAnswer == isRemembered)
    var rule = ConfirmationRule()
    set(&rule.approvals, situation.key, true)
    #expect((rule.decide(situation) == .allowed) == isRemembered)
    set(&rule.approvals, situation.key, false)
    #expect((rule.decide(situation) == .decline(situation.key)) == isRemembered)
    let opener = try #require(situation.opener)
    let objection = ConfirmationRule.objection(
      toRemembering: situation.key, in: Sample.registry([opener]))
    #expect((objection == nil) == isRemembered)
  }

  @Test("D2: an answer that would never count is refused with the reason") func objections()
    throws
  {
    func objection(_ opener: Approvals.Opener, _ scheme: String) throws -> String? {
      ConfirmationRule.objection(
        toRemembering: .init(
          opener: opener, scheme: try #require(URLScheme(scheme)),
          handler: try #require(BundleIdentifier("com.example.phone"))), in: Sample.registry([]))
    }
    #expect(
      try objection(.anybody, "tel")
        == "no answer about a tel URL is remembered; the setting Confirmations can switch the question off"
    )
    #expect(
      try objection(.unidentified, "facetime")
        == "no answer about a facetime URL from macOS is remembered; the setting Confirmations can switch"
        + " the question off; for an iOS application name it with --opener")
    #expect(try objection(.web, "photos") == nil)
  }

  @Test("a remembered answer counts, and a no also where nobody would be asked")
  func remembered() throws {
    let asked = try situation(Case(scheme: "photos", origin: .web, platform: .iOS, asks: true))
    let free = try situation(
      Case(scheme: "photos", origin: .application, platform: .iOS, asks: false))
    var rule = ConfirmationRule()
    set(&rule.approvals, asked.key, true)
    #expect(rule.decide(asked) == .allowed)
    #expect("\(rule.decide(asked))" == "allowed by a remembered answer")
    set(&rule.approvals, free.key, false)
    #expect(rule.decide(free) == .decline(free.key))
    #expect(
      "\(rule.decide(free))"
        == "the user has declined that com.example.opener opens photos URLs with com.example.handler;"
        + " see: lsregister approvals list")
  }
}

private func set(_ approvals: inout Approvals, _ key: Approvals.Key, _ isAllowed: Bool) {
  let isKept = approvals.set(key, isAllowed)
  #expect(isKept)
}

private func forget(_ approvals: inout Approvals, _ body: (inout Approvals) -> Int) -> Int {
  body(&approvals)
}

private func installed(_ identifier: String) -> InstalledApplication? {
  BundleIdentifier(identifier).map {
    InstalledApplication(
      declaration: ApplicationDeclaration(identifier: $0), propertyList: "/\(identifier).plist",
      folder: "/")
  }
}

@Suite("Remembered answers")
struct ApprovalTests {
  private func key(_ opener: String, _ scheme: String = "tel") throws -> Approvals.Key {
    Approvals.Key(
      opener: try #require(Approvals.Opener(opener)), scheme: try #require(URLScheme(scheme)),
      handler: try #require(BundleIdentifier("com.example.phone")))
  }

  @Test("the opener's own comes before that for anybody") func order() throws {
    var approvals = Approvals()
    #expect(approvals[try key("com.example.a")] == nil)
    set(&approvals, try key("*"), false)
    set(&approvals, try key("com.example.a"), true)
    #expect(approvals[try key("com.example.a")] == true)
    #expect(approvals[try key("com.example.b")] == false)
    #expect(approvals[try key("@web")] == false)
    #expect(approvals[try key("com.example.a", "sms")] == nil)
  }

  @Test("are forgotten by opener, scheme and handler") func reset() throws {
    var approvals = Approvals()
    for opener in ["@web", "@unidentified", "com.example.a"] {
      for scheme in ["tel", "sms"] { set(&approvals, try key(opener, scheme), true) }
    }
    #expect(forget(&approvals) { $0.reset(opener: .web, scheme: URLScheme("tel")) } == 1)
    #expect(forget(&approvals) { $0.reset(scheme: URLScheme("sms")) } == 3)
    #expect(forget(&approvals) { $0.reset() } == 2)
    #expect(approvals.entries.isEmpty)
  }

  @Test("openers are written as they are read", arguments: ["@web", "@unidentified", "*", "com.a"])
  func names(_ name: String) throws {
    #expect(try #require(Approvals.Opener(name)).description == name)
  }

  @Test("what is no opener is refused", arguments: ["", "@nobody", "a b", "**"])
  func noNames(_ name: String) { #expect(Approvals.Opener(name) == nil) }

  @Test("of too many the refusals are kept before the others") func most() throws {
    let all = try (0..<Approvals.most + 10).map { (try key("com.example.a\($0)"), $0 % 1_000 != 7) }
    let approvals = Approvals(Dictionary(uniqueKeysWithValues: all))
    #expect(approvals.entries.count == Approvals.most)
    #expect(approvals.entries.values.filter { !$0 }.count == all.filter { !$0.1 }.count)
  }

  @Test("no more can be added when there are as many as are kept, but each can be changed")
  func full() throws {
    let all = try (0..<Approvals.most).map { (try key("com.example.a\($0)"), true) }
    var approvals = Approvals(Dictionary(uniqueKeysWithValues: all))
    #expect(approvals.entries.count == Approvals.most)
    let new = try key("com.example.new")
    let isAdded = approvals.set(new, true)
    #expect(!isAdded && approvals[new] == nil)
    let isChanged = approvals.set(all[0].0, false)
    #expect(isChanged && approvals[all[0].0] == false)
  }
}
