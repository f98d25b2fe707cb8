import LaunchRules
import Testing

@Suite("An opener that is assumed with the option as") struct AssumedOpenerTests {
  private let game = Sample.app("game", on: .iOS)
  private let phone = Sample.app("phone", claims: ["tel"])

  private func confirmation(
    isLink: Bool
  ) -> (row: ConfirmationRule.Decision?, key: Approvals.Key?) {
    let question = OpenRule.Question(
      .url(Sample.scheme("tel"), host: nil, link: nil), caller: .unidentified,
      acting: .assumed(game.identifier), isLink: isLink)
    let decision = OpenRule.decide(
      question, in: Sample.registry([game, phone]),
      by: OpenRule.Policies(
        links: LinkRule(), confirmations: ConfirmationRule(), site: { _ in .unspecified },
        redirectLoop: { _ in nil }))
    return (decision.confirmation?.decision, try? decision.outcome.get().unconfirmed?.key)
  }

  @Test("R4.15 counts where no page opens the URL") func counts() {
    let (row, key) = confirmation(isLink: false)
    #expect(row == .ask(row: "tel-application"))
    #expect(key?.opener == .application(game.identifier))
  }

  @Test("R4.15 counts for nothing where a page opens the URL") func page() {
    let (row, key) = confirmation(isLink: true)
    #expect(row == .ask(row: "tel-web"))
    #expect(key?.opener == .web)
  }
}
