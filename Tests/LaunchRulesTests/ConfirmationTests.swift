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
    // by an application that the user, or the desktop, has chosen in place of the system's
    Case(scheme: "mailto", origin: .web, platform: .iOS, asks: false),
    Case(scheme: "mailto", origin: .web, platform: .macOS, asks: false),
    Case(scheme: "sms", origin: .web, platform: .iOS, asks: false),
    Case(scheme: "mailto", origin: .application, platform: .macOS, asks: false),
    Case(scheme: "mailto", origin: .remote, platform: .macOS, asks: true),
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
    rule.approvals.remember(situation.key, true)
    #expect((rule.decide(situation) == .allowed) == isRemembered)
    rule.approvals.remember(situation.key, false)
    #expect((rule.decide(situation) == .decline(situation.key)) == isRemembered)
    let opener = try #require(situation.opener)
    let objection = ConfirmationRule.objection(
      toRemembering: situation.key, in: Sample.registry([opener]))
    #expect((objection == nil) == isRemembered)
  }

  @Test("a remembered answer counts, and a no also where nobody would be asked")
  func remembered() throws {
    let asked = try situation(Case(scheme: "photos", origin: .web, platform: .iOS, asks: true))
    let free = try situation(
      Case(scheme: "photos", origin: .application, platform: .iOS, asks: false))
    var rule = ConfirmationRule()
    rule.approvals.remember(asked.key, true)
    #expect(rule.decide(asked) == .allowed)
    #expect("\(rule.decide(asked))" == "allowed by a remembered answer")
    rule.approvals.remember(free.key, false)
    #expect(rule.decide(free) == .decline(free.key))
    #expect(
      "\(rule.decide(free))"
        == "the user has declined that com.example.opener opens photos URLs with com.example.handler;"
        + " see: lsregister approvals list")
  }
}

private func installed(_ identifier: String) -> InstalledApplication? {
  BundleIdentifier(identifier).map {
    InstalledApplication(
      declaration: ApplicationDeclaration(identifier: $0), propertyList: "/\(identifier).plist",
      folder: "/")
  }
}
