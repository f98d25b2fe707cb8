import LaunchRules
import Testing

private let photos = BundleIdentifier("com.example.photos")!
private let mail = BundleIdentifier("com.example.mail")!
private let launched = InstanceID(Seat(photos), ordinal: 1)

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
      testDescription: "its executable", claim: .init(byExecutable: photos),
      accepted: .cameByItself(photos)),
    Case(
      testDescription: "the executable of another application",
      claim: .init(claimed: photos, byExecutable: mail), accepted: nil),
    Case(
      testDescription: "the owner of the name",
      claim: .init(claimed: photos, ownsClaimedName: true), accepted: .cameByItself(photos)),
    Case(testDescription: "its word alone", claim: .init(claimed: photos), accepted: nil),
    Case(testDescription: "nothing at all", claim: .init(), accepted: nil),
    Case(
      testDescription: "the process that was started, which lost its token",
      claim: .init(claimed: photos, byExecutable: photos, startedAs: launched),
      accepted: .expected(launched)),
    Case(
      testDescription: "a child of the application with another executable",
      claim: .init(claimed: photos, startedAs: launched), accepted: nil),
    Case(
      testDescription: "a child of the application that claims another",
      claim: .init(claimed: mail, startedAs: launched), accepted: nil),
    Case(
      testDescription: "a child of the application that owns the name of another",
      claim: .init(claimed: mail, startedAs: launched, ownsClaimedName: true), accepted: nil),
    Case(
      testDescription: "a child of the application that owns its name",
      claim: .init(claimed: photos, startedAs: launched, ownsClaimedName: true),
      accepted: .cameByItself(photos)),
    Case(
      testDescription: "a child of the application that runs the executable of another",
      claim: .init(claimed: mail, byExecutable: mail, startedAs: launched),
      accepted: .cameByItself(mail)),
  ]

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

  @Test("A bus name does not help what outlived the process of another application")
  func outlived() {
    var claim = CheckInRule.Claim(claimed: mail, ownsClaimedName: true)
    claim.startedFor = photos
    guard case .refused = CheckInRule().decide(claim) else {
      Issue.record("accepted")
      return
    }
  }

  @Test("only a rule made for tests believes a word alone") func unverified() {
    let decision = CheckInRule(allowsUnverified: true).decide(.init(claimed: photos))
    #expect(decision == .cameByItself(photos))
  }
}
