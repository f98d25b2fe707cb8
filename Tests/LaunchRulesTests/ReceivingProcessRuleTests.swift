import LaunchRules
import Testing

@Suite("Who may receive the URLs of a desktop application") struct ReceivingProcessRuleTests {
  private func objection(
    _ identity: ReceivingProcessRule.Identity, _ program: ReceivingProcessRule.Program = .run,
    isSandboxed: Bool = false
  ) -> String? {
    ReceivingProcessRule.objection(
      to: identity, of: .init("org.app.desktop", isSandboxed: isSandboxed), program)
  }

  private static let otherProgram =
    "a process of another program, or in a sandbox, has taken the place of the application"

  @Test(
    "A process of its program, also one that a desktop application started, and the application itself"
  )
  func allowed() {
    for program in [ReceivingProcessRule.Program.run, .executed] {
      #expect(objection(.ofUser, program) == nil)
      #expect(objection(.desktopApplication("org.other.desktop"), program) == nil)
    }
    #expect(objection(.application("org.app"), .other) == nil)
  }

  @Test("No other program of the user") func otherPrograms() {
    #expect(objection(.ofUser, .other) == Self.otherProgram)
    #expect(objection(.desktopApplication("org.other.desktop"), .other) == Self.otherProgram)
  }

  @Test("The application in its own sandbox only when it is installed to run in one")
  func sandboxes() {
    let own = ReceivingProcessRule.Identity.desktopApplication("org.app.desktop")
    #expect(objection(own, .other, isSandboxed: true) == nil)
    #expect(objection(own, .other) == Self.otherProgram)
    #expect(
      objection(.desktopApplication("org.other.desktop"), .other, isSandboxed: true)
        == Self.otherProgram)
    #expect(objection(.ofUser, .other, isSandboxed: true) == Self.otherProgram)
  }

  @Test("No other application, also with the program of this one") func another() {
    for program in [ReceivingProcessRule.Program.other, .run, .executed] {
      #expect(
        objection(.application("org.evil"), program)
          == "a process of org.evil has taken the place of the application")
    }
  }

  @Test("A descendant of an unknown application only when it executes the program")
  func descendant() {
    #expect(objection(.descendant, .executed) == nil)
    #expect(
      objection(.descendant, .run)
        == "a process of another application has taken the place of the application")
  }

  @Test("Nobody who is unknown") func unknown() {
    #expect(
      objection(.unknown(reason: "it hides"), .executed)
        == "the process of the application cannot be identified: it hides")
  }
}
