import Testing

@testable import LaunchRules

@Suite("Which caller may make which call") struct AccessRuleTests {
  private typealias Kind = AccessRule.CallKind

  private static let photos = BundleIdentifier("com.example.photos")!

  private static func caller(
    _ identity: Caller, _ change: (inout AccessRule.Caller) -> Void = { _ in }
  ) -> AccessRule.Caller {
    var caller = AccessRule.Caller(identity)
    change(&caller)
    return caller
  }

  private func refused(_ caller: AccessRule.Caller, daemonHasBus: Bool = true) -> Set<Kind> {
    Set(
      Kind.allCases.filter {
        do throws(AccessRule.Refusal) {
          try AccessRule.check($0, by: caller, daemonHasBus: daemonHasBus)
          return false
        } catch {
          return true
        }
      })
  }

  @Test("The user's own programs may do everything") func shell() {
    #expect(refused(Self.caller(.unidentified)) == [])
  }

  @Test("An application answers nothing for the user, and does not hear what others open")
  func application() {
    let application = Caller.application(Self.photos, .checkedIn)
    #expect(
      refused(Self.caller(application)) == [
        .defaultsGuard, .approvals, .remotes, .confirmationAgent, .activities, .monitor,
      ])
    #expect(refused(Self.caller(application) { $0.isSystem = true }) == [.monitor])
  }

  @Test("An iOS application reads and changes nothing of the registry", arguments: [true, false])
  func sandboxed(isKnown: Bool) {
    let identity: Caller = isKnown ? .application(Self.photos, .unit) : .orphan(isSandboxed: true)
    let refused = refused(
      Self.caller(identity) {
        $0.sandboxed = SandboxedCaller(identifier: isKnown ? Self.photos : nil)
      })
    var expected: Set<Kind> = [
      .registry, .fileRegistry, .desktopExport, .defaultsGuard, .applicationMonitor, .approvals,
      .remotes, .confirmationAgent, .activities,
    ]
    expected.insert(.monitor)
    if !isKnown { expected.insert(.history) }
    #expect(refused == expected)
  }

  @Test("A program of a browser, and a descendant of an application, answer nothing for the user")
  func answers() {
    // A descendant of an application read the opens of everybody.
    #expect(
      refused(Self.caller(.orphan(isSandboxed: false))) == [
        .defaultsGuard, .approvals, .remotes, .confirmationAgent, .activities, .history, .monitor,
      ])
    #expect(
      refused(Self.caller(.unidentified) { $0.isFromBrowser = true }) == [
        .defaultsGuard, .approvals, .remotes, .confirmationAgent, .activities,
      ])
  }

  @Test("A remote opens URLs and asks about its own opens, and nothing else") func remote() throws {
    let name = try #require(RemoteName("laptop"))
    #expect(
      refused(Self.caller(.remote(name)))
        == Set(Kind.allCases).subtracting([
          .question, .open, .ownRequest,
        ]))
    #expect(
      throws: AccessRule.Refusal.openNotPermitted(
        "the caller is remote:laptop, and remotes may only open URLs; where launchservicesd runs, 'lsopen --as"
          + " remote:laptop --explain URL' and 'lsopen --history' say more")
    ) { try AccessRule.check(.registry, by: Self.caller(.remote(name)), daemonHasBus: true) }
  }

  @Test("A forwarder and a container have no rights of the user, and are told what to use")
  func outsider() throws {
    let outsider = try #require(Outsider(program: "ssh", otherNamespaces: []))
    #expect(
      refused(Self.caller(.outsider(outsider))) == [
        .registry, .fileRegistry, .desktopExport, .defaultsGuard, .approvals, .remotes,
        .confirmationAgent, .activities, .history, .monitor, .applicationMonitor,
      ])
    #expect(
      throws: AccessRule.Refusal.notPermitted(
        "the caller is ssh, which passes on the calls of other programs, and only programs of the user's"
          + " session may do this; give the other machine or container a socket of its own with"
          + " 'lsregister remote add NAME'")
    ) { try AccessRule.check(.approvals, by: Self.caller(.outsider(outsider)), daemonHasBus: true) }
  }

  @Test("A Flatpak sandbox has files of its own, so nothing is said about files") func files() {
    #expect(
      refused(Self.caller(.unidentified) { $0.hasOtherFiles = true }) == [
        .documentQuestion, .openDocuments, .fileRegistry,
      ])
  }

  @Test("What needs the bus is refused on direct connections") func direct() {
    #expect(
      refused(Self.caller(.unidentified) { $0.isDirect = true }) == [
        .checkIn, .confirmationAgent, .monitor, .applicationMonitor,
      ])
  }

  @Test(
    "A daemon without a bus reaches no desktop, and monitors nothing; all connections are direct")
  func noBus() {
    #expect(
      refused(Self.caller(.unidentified) { $0.isDirect = true }, daemonHasBus: false) == [
        .desktopExport, .defaultsGuard, .monitor, .applicationMonitor,
      ])
  }

  @Test("Only a program that is no application, and no browser, may show the user's answers")
  func require() {
    #expect(AccessRule.mayAnswerForUser(.unidentified, isFromBrowser: false))
    #expect(!AccessRule.mayAnswerForUser(.unidentified, isFromBrowser: true))
    let application = Caller.application(Self.photos, .checkedIn)
    #expect(!AccessRule.mayAnswerForUser(application, isFromBrowser: false))
    #expect(!AccessRule.mayAnswerForUser(application, isFromBrowser: true))
  }

  @Test("The first reason of a row is told") func reason() {
    let caller = Self.caller(.application(Self.photos, .checkedIn)) { $0.isDirect = true }
    #expect(
      throws: AccessRule.Refusal.notSupported(
        "this call requires a connection to the session bus, and the caller uses a direct connection"
      )
    ) { try AccessRule.check(.monitor, by: caller, daemonHasBus: true) }
    #expect(throws: AccessRule.Refusal.notSupported(AccessRule.hasNoBus)) {
      try AccessRule.check(.monitor, by: caller, daemonHasBus: false)
    }
  }
}
