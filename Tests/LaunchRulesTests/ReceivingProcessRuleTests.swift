import LaunchRules
import Testing

@Suite("Who may receive the URLs of a desktop application") struct ReceivingProcessRuleTests {
  private func objection(
    _ identity: ReceivingProcessRule.Identity, isProgram: Bool = false
  ) -> String? {
    ReceivingProcessRule.objection(to: identity, of: "org.app.desktop", isProgram: isProgram)
  }

  @Test("A program of the user, and the application itself") func allowed() {
    #expect(objection(.ofUser) == nil)
    #expect(objection(.application("org.app")) == nil)
  }

  @Test("No other application, also with the program of this one") func another() {
    for isProgram in [false, true] {
      #expect(
        objection(.application("org.evil"), isProgram: isProgram)
          == "a process of org.evil has taken the place of the application")
    }
  }

  @Test("A descendant of an unknown application only when it executes the program")
  func descendant() {
    #expect(objection(.descendant, isProgram: true) == nil)
    #expect(
      objection(.descendant)
        == "a process of another application has taken the place of the application")
  }

  @Test("Nobody who is unknown") func unknown() {
    #expect(
      objection(.unknown(reason: "it hides"), isProgram: true)
        == "the process of the application cannot be identified: it hides")
  }
}
