import LaunchRules
import Testing

private let photos = BundleIdentifier("com.example.photos")!
private let mail = BundleIdentifier("com.example.mail")!
private let launched = InstanceID(InstanceSlot(photos), ordinal: 1)

@Suite("Who is believed at check-in") struct CheckInRuleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let claim: CheckInRule.Claim
    /// Nil for a refusal.
    let accepted: CheckInRule.Decision?
  }

  static let cases = [
    Case(
      testDescription: "its token names it", claim: .init(tokenOf: launched, showedToken: true),
      accepted: .expected(launched)),
    Case(
      testDescription: "a token of another application",
      claim: .init(tokenOf: launched, showedToken: true, claimed: mail), accepted: nil),
    Case(
      testDescription: "a token that is unknown, even with the right executable",
      claim: .init(showedToken: true, claimed: photos, byExecutable: photos), accepted: nil),
    Case(
      testDescription: "its executable",
      claim: .init(by(photos, .executable), byExecutable: photos),
      accepted: .cameByItself(photos)),
    Case(
      testDescription: "the executable of another application",
      claim: .init(by(mail, .executable), claimed: photos, byExecutable: mail), accepted: nil),
    Case(
      testDescription: "the owner of the name",
      claim: .init(claimed: photos, ownsClaimedName: true), accepted: .cameByItself(photos)),
    Case(testDescription: "its word alone", claim: .init(claimed: photos), accepted: nil),
    Case(testDescription: "nothing at all", claim: .init(), accepted: nil),
    Case(
      testDescription: "the process that was started, which lost its token",
      claim: .init(tree, claimed: photos, byExecutable: photos, startedAs: launched),
      accepted: .expected(launched)),
    Case(
      testDescription: "a child of the application that owns its name",
      claim: .init(tree, claimed: photos, startedAs: launched, ownsClaimedName: true),
      accepted: .expected(launched)),
    Case(
      testDescription: "a child of the application with another executable",
      claim: .init(tree, claimed: photos, startedAs: launched), accepted: nil),
    Case(
      testDescription: "a child of the application that claims another",
      claim: .init(tree, claimed: mail, startedAs: launched), accepted: nil),
    Case(
      testDescription: "a child of the application that owns the name of another",
      claim: .init(tree, claimed: mail, startedAs: launched, ownsClaimedName: true),
      accepted: nil),
    Case(
      testDescription: "a child of the application that runs the executable of another",
      claim: .init(tree, claimed: mail, byExecutable: mail, startedAs: launched),
      accepted: nil),
    Case(
      testDescription: "one that outlived its application and runs the executable of another",
      claim: .init(.orphan(isSandboxed: false), claimed: mail, byExecutable: mail), accepted: nil),
    Case(
      testDescription: "the user's own program that the desktop bridge has started",
      claim: .init(claimed: mail, ownsClaimedName: true), accepted: .cameByItself(mail)),
    Case(
      testDescription: "the process of an instance, which returns to a new daemon",
      claim: .init(tree, startedAs: launched, isProcessOf: launched), accepted: .expected(launched)),
  ]

  private static let tree = by(photos, .processTree)

  private static func by(_ own: BundleIdentifier, _ how: Identification) -> Caller {
    .application(own, how)
  }

  @Test(arguments: cases) func decides(_ example: Case) {
    let decision = CheckInRule().decide(example.claim)
    if let accepted = example.accepted {
      #expect(decision == accepted)
    } else if case .refused = decision {
      return
    } else {
      Issue.record("accepted as \(decision)")
    }
  }

  @Test(
    "A bus name does not help who is another application, however that is known",
    arguments: Identification.allCases)
  func name(_ how: Identification) {
    let claim = CheckInRule.Claim(Self.by(photos, how), claimed: mail, ownsClaimedName: true)
    #expect(
      CheckInRule().decide(claim)
        == .refused(
          "the caller is com.example.photos (\(how)), so it cannot check in as com.example.mail"))
  }

  @Test("Nor who descends from one application or another", arguments: [true, false])
  func orphan(_ isSandboxed: Bool) {
    let claim = CheckInRule.Claim(
      .orphan(isSandboxed: isSandboxed), claimed: mail, ownsClaimedName: true)
    #expect(
      CheckInRule().decide(claim)
        == .refused(
          "the caller descends from an application that was started, so it cannot check in as"
            + " com.example.mail"))
  }

  @Test(
    "It helps the application itself, however that is known", arguments: Identification.allCases)
  func ownName(_ how: Identification) {
    let claim = CheckInRule.Claim(Self.by(mail, how), claimed: mail, ownsClaimedName: true)
    #expect(CheckInRule().decide(claim) == .cameByItself(mail))
  }

  @Test("the process of an instance is that instance only while it claims no other identifier")
  func anotherClaim() {
    let caller = Caller.unidentified
    func decide(_ claimed: BundleIdentifier?) -> CheckInRule.Decision {
      CheckInRule().decide(.init(caller, claimed: claimed, isProcessOf: launched))
    }
    #expect(decide(nil) == .expected(launched))
    #expect(decide(photos) == .expected(launched))
    #expect(
      decide(mail)
        == .refused(
          "the caller does not prove that it is com.example.mail: it has no token, does not run the"
            + " registered executable and does not own the bus name com.example.mail"))
    #expect(
      CheckInRule().decide(
        .init(caller, claimed: mail, isProcessOf: launched, ownsClaimedName: true))
        == .cameByItself(mail))
  }

  @Test("a token is good for its application alone, and its refusals say why") func tokens() {
    let rule = CheckInRule()
    #expect(
      rule.decide(.init(tokenOf: launched, showedToken: true, claimed: photos))
        == .expected(launched))
    #expect(
      rule.decide(.init(tokenOf: launched, showedToken: true, claimed: mail))
        == .refused("the token was given to com.example.photos, not to com.example.mail"))
    #expect(
      rule.decide(.init(showedToken: true, claimed: photos))
        == .refused("the token is unknown or was used before"))
    var stolen = CheckInRule.Claim(tokenOf: launched, showedToken: true)
    stolen.isTokenStolen = true
    #expect(rule.decide(stolen) == .refused("the token was given to another process"))
  }

  @Test("a process started for one application that owns the name of another came by itself")
  func startedForAnother() {
    let claim = CheckInRule.Claim(
      claimed: mail, byExecutable: mail, startedAs: launched, ownsClaimedName: false)
    #expect(CheckInRule().decide(claim) == .cameByItself(mail))
  }

  @Test("only a rule made for tests believes a word alone") func unverified() {
    let decision = CheckInRule(allowsUnverified: true).decide(.init(claimed: photos))
    #expect(decision == .cameByItself(photos))
  }
}
