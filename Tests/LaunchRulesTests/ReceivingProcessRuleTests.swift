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
    #expect(objection(.ofUser) == nil)
    #expect(objection(.desktopApplication("org.other.desktop")) == nil)
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
    for program in [ReceivingProcessRule.Program.other, .run] {
      #expect(
        objection(.application("org.evil"), program)
          == "a process of org.evil has taken the place of the application")
    }
  }

  @Test("No descendant of an unknown application, also when it executes the program")
  func descendant() {
    for program in [ReceivingProcessRule.Program.other, .run] {
      #expect(
        objection(.descendant, program)
          == "a process that another application has started has taken the place of the application"
      )
    }
  }

  @Test(
    "Only a process that has its connections open itself, and shares them with no other program")
  func holders() {
    func objection(_ made: Int, _ held: Int, _ others: [Int32] = []) -> String? {
      ReceivingProcessRule.objection(to: .init(made: made, held: held, others: others))
    }
    #expect(objection(1, 1) == nil)
    // An application may have connections of others open, such as those that it has inherited.
    #expect(objection(1, 2) == nil)
    let passedOn = "the process of the application has passed its connection on to another process"
    #expect(objection(1, 0) == passedOn)
    // It connected once more as the program.
    #expect(objection(2, 1) == passedOn)
    #expect(objection(0, 0) == passedOn)
    #expect(
      objection(1, 1, [9, 7])
        == "process 7, of another program, can read what is sent to the application")
  }

  @Test("Nobody who is unknown") func unknown() {
    #expect(
      objection(.unknown(reason: "it hides"))
        == "the process of the application cannot be identified: it hides")
  }
}
